import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'
import { connect } from 'amqplib'

import { AmqpDeadLetters } from '#bus/amqp/amqp_dead_letters'
import { derivedId } from '#bus/derived_id'
import { telemetryPool } from '#telemetry/database'
import { eventMessage } from '#tests/bench/event_messages'
import { boot } from '#tests/helpers/application'
import { eventually } from '#tests/helpers/eventually'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { randomPause } from '#tests/helpers/real_time'

const PROGRAM = fileURLToPath(new URL('./ingest_program.ts', import.meta.url))
const QUEUE = 'telemetryEventTasks'
const KILLS = Number(process.env.KILLS ?? 10)
const EVENTS_PER_KILL = 2_000

let broker: RealServer

function startIngest(): ChildProcess {
  const env = { ...process.env, AMQP_URL: broker.url, SURFACES: 'telemetry', JOBS: 'bus' }
  return spawn(process.execPath, [...process.execArgv, PROGRAM], { env, stdio: 'inherit' })
}

async function ended(victim: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const missing = once(victim, 'exit')
  victim.kill(signal)
  await missing
}

async function stored(): Promise<string[]> {
  const { rows } = await telemetryPool().query<{ id: string }>('select id from events')
  return rows.map(({ id }) => id)
}

/** Publishes events and returns those that the broker confirmed. */
async function publisher() {
  const connection = await connect(broker.url)
  const channel = await connection.createConfirmChannel()
  await channel.assertQueue(QUEUE, { durable: true })
  const confirmed: string[] = []
  let number = 0
  return {
    confirmed,
    async publish(count: number) {
      for (let sent = 0; sent < count; sent++) {
        const { message, bytes } = eventMessage(number++)
        const properties = { persistent: true, messageId: message.id, type: message.type }
        channel.sendToQueue(QUEUE, bytes, properties, (error) => {
          if (!error) {
            confirmed.push(derivedId(QUEUE, message))
          }
        })
      }
      await channel.waitForConfirms()
    },
    send: (bytes: Buffer) => channel.sendToQueue(QUEUE, bytes, { persistent: true }),
    waiting: async () => (await channel.checkQueue(QUEUE)).messageCount,
    /** Includes unacknowledged messages of a process, which the broker redelivers. */
    async close() {
      await channel.deleteQueue(QUEUE)
      await connection.close()
    },
  }
}

test.group('Ingest of events', (group) => {
  group.setup(async () => {
    await boot()
    broker = await startRabbitmq()
    return () => broker.stop()
  })
  group.each.setup(async () => void (await telemetryPool().query('delete from events')))

  test(`no confirmed event is lost and none is stored twice, through ${KILLS} kills`, async ({
    assert,
    cleanup,
  }) => {
    const events = await publisher()
    let process = startIngest()
    cleanup(async () => {
      await ended(process, 'SIGTERM')
      await events.close()
    })
    for (let kill = 0; kill < KILLS; kill++) {
      const before = (await stored()).length
      await events.publish(EVENTS_PER_KILL)
      await eventually(async () => (await stored()).length > before, 60_000)
      await randomPause(255)
      await ended(process, 'SIGKILL')
      process = startIngest()
    }
    await eventually(async () => (await stored()).length >= events.confirmed.length, 120_000)
    assert.lengthOf(events.confirmed, KILLS * EVENTS_PER_KILL)
    assert.sameMembers(await stored(), events.confirmed)
    await eventually(async () => (await events.waiting()) === 0)
    assert.isEmpty(await new AmqpDeadLetters(broker.url).list(QUEUE, 10))
  }).timeout(KILLS * 30_000)

  test('malformed events become dead letters with an event, and do not affect the others', async ({
    assert,
    cleanup,
  }) => {
    const events = await publisher()
    const process = startIngest()
    cleanup(async () => {
      await ended(process, 'SIGTERM')
      await events.close()
    })
    const { message } = eventMessage(0)
    const bad = [
      { ...message, id: 'bad-1', data: { ...message.data, scope: 'ENTITY' } },
      { ...message, id: 'bad-2', data: {} },
    ]
    bad.forEach((each) => events.send(Buffer.from(JSON.stringify(each))))
    events.send(Buffer.from('{'))
    await events.publish(1_000)
    await eventually(async () => (await stored()).length === 1_000, 60_000)
    const letters = new AmqpDeadLetters(broker.url)
    await eventually(async () => (await letters.list(QUEUE, 10)).length === 3)
    const { rows } = await telemetryPool().query(
      `select content -> 'command' as command from outbox where queue = 'telemetryEventEvents'`
    )
    assert.sameMembers(
      rows.map(({ command }) => `${command.type} ${command.data.id}`),
      bad.map((each) => `creationFailed ${derivedId(QUEUE, each)}`)
    )
    assert.sameMembers(await stored(), events.confirmed)
  }).timeout(600_000)
})
