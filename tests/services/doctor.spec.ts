import { appendFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import { join } from 'node:path'

import { test } from '@japa/runner'
import { connect } from 'amqplib'
import { Redis } from 'ioredis'
import pg from 'pg'

import { SINGLE_ACTIVE_CONSUMER } from '#bus/amqp/subscription'
import { COMMAND_QUEUES, deadQueueOf } from '#bus/names'
import { brokerCheck } from '#doctor/checks/broker'
import { databaseCheck } from '#doctor/checks/database'
import { deadLettersCheck } from '#doctor/checks/dead_letters'
import { objectStoreCheck } from '#doctor/checks/object_store'
import { redisCheck } from '#doctor/checks/redis'
import { found } from '#tests/helpers/doctor'
import { s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { startPostgres } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { startRadosgw } from '#tests/services/servers/radosgw'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'

test.group('The doctor | RabbitMQ', (group) => {
  let broker: RealServer
  const runDoctor = (url = broker.url) =>
    found({
      checks: [brokerCheck, deadLettersCheck],
      env: { AMQP_URL: url },
      queues: [COMMAND_QUEUES.registry],
    })

  group.setup(async () => {
    broker = await startRabbitmq()
    return () => broker.stop()
  })

  /** Somebody else who uses the broker. */
  async function beside(
    work: (
      channel: Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['createConfirmChannel']>>
    ) => Promise<void>
  ) {
    const connection = await connect(broker.url)
    const channel = await connection.createConfirmChannel()
    await work(channel)
    await channel.waitForConfirms()
    await connection.close()
  }

  test('nothing is found of one that is new, and nothing is left in it', async ({ assert }) => {
    assert.deepEqual(await runDoctor(), [])
    assert.deepEqual(await runDoctor(), [])
  })

  test('queues as the hub declares them are not a finding, and one that loses messages is', async ({
    assert,
    cleanup,
  }) => {
    const events = 'core.events-of-the-doctor'
    const readEvents = () =>
      found({ checks: [brokerCheck], env: { AMQP_URL: broker.url }, queues: [events] })
    cleanup(() => beside(async (channel) => void (await channel.deleteQueue(events))))
    await beside(async (channel) => {
      await channel.assertQueue(events, { durable: true, arguments: SINGLE_ACTIVE_CONSUMER })
    })
    assert.deepEqual(await readEvents(), [])
    await beside(async (channel) => {
      await channel.deleteQueue(events)
      const losing = { ...SINGLE_ACTIVE_CONSUMER, 'x-message-ttl': 1_000 }
      await channel.assertQueue(events, { durable: true, arguments: losing })
    })
    assert.deepEqual(await readEvents(), ['BROKER_QUEUE_NOT_DURABLE'])
  })

  test('an unavailable server, and one that refuses the password', async ({ assert }) => {
    const wrong = new URL(broker.url)
    wrong.password = 'wrong'
    assert.deepEqual(await runDoctor(wrong.href), ['BROKER_UNREACHABLE'])
    assert.deepEqual(await runDoctor('amqp://127.0.0.1:1'), ['BROKER_UNREACHABLE'])
  })

  test('queues that lose messages, that have no consumer, and of dead letters', async ({
    assert,
  }) => {
    await beside(async (channel) => {
      await channel.assertQueue(COMMAND_QUEUES.telemetryLog, { durable: false })
      await channel.assertQueue(COMMAND_QUEUES.analysisBuilder, { durable: true })
      channel.sendToQueue(COMMAND_QUEUES.analysisBuilder, Buffer.from('{}'))
      const dead = deadQueueOf(COMMAND_QUEUES.registry)
      await channel.assertQueue(dead, { durable: true })
      channel.sendToQueue(dead, Buffer.from('{}'))
    })
    assert.deepEqual(await runDoctor(), [
      'BROKER_QUEUE_NOT_DURABLE',
      'BROKER_QUEUE_NOT_TAKEN',
      'DEAD_LETTERS',
    ])
  })

  test('a broker that blocks publishers because it is short of memory', async ({
    assert,
    cleanup,
  }) => {
    const full = await startRabbitmq({ settings: ['vm_memory_high_watermark.absolute = 1MB'] })
    cleanup(() => full.stop())
    assert.deepEqual(await runDoctor(full.url), ['BROKER_BLOCKED'])
  }).timeout(600_000)
})

test.group('The doctor | Redis', (group) => {
  let redis: RealServer
  const runDoctor = (url = redis.url) => found({ checks: [redisCheck], env: { REDIS_URL: url } })

  group.setup(async () => {
    redis = await startRedis()
    return () => redis.stop()
  })

  test('a server that refuses the password, is unavailable, or does not answer', async ({
    assert,
  }) => {
    const wrong = new URL(redis.url)
    wrong.password = 'wrong'
    assert.deepEqual(await runDoctor(), [])
    assert.deepEqual(await runDoctor(wrong.href), ['REDIS_UNREACHABLE'])
    assert.deepEqual(await runDoctor('redis://127.0.0.1:1'), ['REDIS_UNREACHABLE'])
    await redis.pause()
    try {
      assert.deepEqual(await runDoctor(), ['REDIS_UNREACHABLE'])
    } finally {
      redis.resume()
    }
  })

  test('a server that removes keys where it runs out of memory', async ({ assert }) => {
    const client = new Redis(redis.url)
    await client.config('SET', 'maxmemory', '100mb')
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    client.disconnect()
    assert.deepEqual(await runDoctor(), ['REDIS_EVICTS'])
  })
})

test.group('The doctor | PostgreSQL', (group) => {
  let server: RealServer

  group.setup(async () => {
    server = await startPostgres()
    return () => server.stop()
  })

  test('a server that was started without fsync, and one that does not answer', async ({
    assert,
  }) => {
    const runDoctor = () => found({ url: server.url, checks: [databaseCheck] })
    assert.deepEqual(await runDoctor(), ['DATABASE_FSYNC_OFF'])
    await server.pause()
    try {
      assert.deepEqual(await runDoctor(), ['DATABASE_UNREACHABLE'])
    } finally {
      server.resume()
    }
  })

  test('several machines that do not tell each other what happens', async ({ assert }) => {
    const rules = join(server.folder, 'data', 'pg_hba.conf')
    await appendFile(rules, 'host all all 127.0.0.2/32 scram-sha-256\n')
    const first = await programAt('127.0.0.1')
    await first.query('select pg_reload_conf()')
    const runDoctor = () => found({ url: server.url, checks: [redisCheck] })
    assert.deepEqual(await runDoctor(), [])
    const second = await programAt('127.0.0.2')
    assert.deepEqual(await runDoctor(), ['REDIS_NEEDED'])
    await Promise.all([first.end(), second.end()])
  })

  /** A program of the platform on a machine with this address. */
  async function programAt(localAddress: string): Promise<pg.Client> {
    const socket = new Socket()
    const from = socket.connect.bind(socket)
    socket.connect = ((port: number, host: string) =>
      from({ port, host, localAddress })) as typeof socket.connect
    const client = new pg.Client({
      connectionString: server.url,
      application_name: 'analysis-hub',
      stream: () => socket,
    })
    await client.connect()
    return client
  }
})

type Refused = (requested: IncomingMessage) => boolean

test.group('The doctor | S3', (group) => {
  let store: RealServer

  group.setup(async () => {
    store = await startRadosgw()
    return () => store.stop()
  })

  const runDoctor = (url: string, more = {}) =>
    found({ checks: [objectStoreCheck], env: { ...s3VariablesFor(url), ...more } })

  /** The store behind a gateway that refuses some requests, without handing them on. */
  async function gateway(cleanup: (stop: () => void) => void, status: number, refused: Refused) {
    const { hostname, port } = new URL(store.url)
    const server = createServer((requested, answer) => {
      if (refused(requested)) {
        requested.resume()
        return void answer.writeHead(status).end()
      }
      const { url: path, method, headers } = requested
      const passed = request({ hostname, port, path, method, headers }, (response) => {
        answer.writeHead(response.statusCode!, response.headers)
        response.pipe(answer)
      })
      passed.on('error', () => answer.destroy())
      requested.pipe(passed)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanup(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = new URL(store.url)
    url.port = String((server.address() as AddressInfo).port)
    return url.href
  }

  test('nothing is found of one that does what it should, in both layouts', async ({ assert }) => {
    assert.deepEqual(await runDoctor(store.url), [])
    assert.deepEqual(await runDoctor(store.url, { S3_BUCKET: 'everything' }), [])
  })

  test('an unavailable store, and one that refuses the key', async ({ assert }) => {
    const wrong = new URL(store.url)
    wrong.password = 'wrong'
    assert.deepEqual(await runDoctor(wrong.href), ['OBJECTS_UNREACHABLE'])
    assert.deepEqual(await runDoctor('http://key:secret@127.0.0.1:1'), ['OBJECTS_UNREACHABLE'])
  })

  test('one without ranges, without pieces, and one that removes nothing', async ({
    assert,
    cleanup,
  }) => {
    const ranges = await gateway(cleanup, 501, ({ headers }) => headers.range !== undefined)
    assert.include(await runDoctor(ranges), 'OBJECTS_NO_RANGES')
    const parts = await gateway(cleanup, 403, ({ url = '' }) => /[?&]uploads?/.test(url))
    assert.deepEqual(await runDoctor(parts), ['OBJECTS_NO_PIECES'])
    const removal = await gateway(cleanup, 403, ({ method }) => method === 'DELETE')
    assert.include(await runDoctor(removal), 'OBJECTS_NOT_DELETED')
  })
})
