import { connect, type ConfirmChannel } from 'amqplib'
import { Redis } from 'ioredis'
import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'

import { GlewlwydAdmin, startGlewlwyd } from './glewlwyd.js'
import { startPostgres } from './postgres.js'
import { startRabbitmq } from './rabbitmq.js'
import type { RealServer } from './real_server.js'
import { startRedis } from './redis.js'

/** What the tests of the real servers do with each of them, by a real client. */
export interface Subject {
  name: string
  module: string
  start(): Promise<RealServer>
  /** Writes something that must outlive the server's processes. */
  write(url: string, text: string): Promise<void>
  /** Reads it again with a client of its own, or fails when there is no answer in time. */
  read(url: string, patienceMs: number): Promise<unknown>
}

export const SUBJECTS: Subject[] = [
  {
    name: 'PostgreSQL',
    module: 'postgres',
    start: startPostgres,
    async write(url, text) {
      await withPostgres(url, 5000, async (client) => {
        await client.query('create table if not exists notes (text text)')
        await client.query('insert into notes values ($1)', [text])
      })
    },
    read: (url, patienceMs) =>
      withPostgres(url, patienceMs, async (client) => {
        const { rows } = await client.query('delete from notes returning text')
        return rows[0]?.text
      }),
  },
  {
    name: 'Redis',
    module: 'redis',
    start: startRedis,
    async write(url, text) {
      await withRedis(url, 5000, (client) => client.set('note', text))
    },
    read: (url, patienceMs) => withRedis(url, patienceMs, (client) => client.getdel('note')),
  },
  {
    name: 'RabbitMQ',
    module: 'rabbitmq',
    start: startRabbitmq,
    async write(url, text) {
      await withRabbitmq(url, 5000, async (channel) => {
        await channel.assertQueue('notes', { durable: true })
        await settle(channel)
        channel.sendToQueue('notes', Buffer.from(text), { persistent: true })
        await channel.waitForConfirms()
      })
    },
    read: (url, patienceMs) =>
      withRabbitmq(url, patienceMs, async (channel) => {
        const message = await channel.get('notes', { noAck: true })
        return message && message.content.toString()
      }),
  },
  {
    name: 'Glewlwyd',
    module: 'glewlwyd',
    start: startGlewlwyd,
    async write(url, text) {
      const admin = await GlewlwydAdmin.logIn(url)
      // Here and not after reading: a read that was given up goes on, and would take the note from the next one.
      await admin.delete('/scope/note').catch(() => {})
      await admin.post('/scope/', { name: 'note', display_name: 'Note', description: text })
    },
    read: (url, patienceMs) => within(patienceMs, noteOf(url)),
  },
]

async function noteOf(url: string): Promise<string> {
  const admin = await GlewlwydAdmin.logIn(url)
  const { description } = await admin.get('/scope/note')
  return description
}

async function within<T>(patienceMs: number, work: Promise<T>): Promise<T> {
  const late = sleep(patienceMs).then(() =>
    Promise.reject(new Error('There was no answer in time'))
  )
  return Promise.race([work, late])
}

async function withPostgres<T>(url: string, patienceMs: number, use: (client: pg.Client) => T) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: patienceMs })
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end()
  }
}

async function withRedis(
  url: string,
  patienceMs: number,
  use: (client: Redis) => Promise<unknown>
) {
  const client = new Redis(url, { retryStrategy: null, disconnectTimeout: 100 })
  client.on('error', () => {})
  const late = AbortSignal.timeout(patienceMs)
  late.addEventListener('abort', () => client.disconnect())
  try {
    return await use(client)
  } finally {
    client.disconnect()
  }
}

/**
 * RabbitMQ confirms a new queue up to two seconds before the last record of its transaction is in the file, and forgets the queue
 * when it is killed in between (2 of 12 times). The transaction of a second one brings the record of the first to the file.
 */
async function settle(channel: ConfirmChannel): Promise<void> {
  await channel.assertQueue('settled', { durable: true })
}

async function withRabbitmq<T>(
  url: string,
  patienceMs: number,
  use: (channel: ConfirmChannel) => Promise<T>
) {
  const connection = await connect(url, { timeout: patienceMs })
  connection.on('error', () => {})
  try {
    const channel = await connection.createConfirmChannel()
    channel.on('error', () => {})
    return await use(channel)
  } finally {
    await connection.close()
  }
}
