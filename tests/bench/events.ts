/**
 * How fast the audit trail takes in events: a queue of RabbitMQ is filled with persistent events and then drained by the platform's
 * consumer, and by a bare one (amqplib, COPY) into the same table. `BENCH_EVENTS` says how many, `BENCH_ROUNDS` how often.
 */
import { hrtime } from 'node:process'
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

import { connect } from 'amqplib'
import pg from 'pg'

import { copyingConsumer } from './copying_consumer.js'
import { eventMessage } from './event_messages.js'
import { cpuMicroseconds } from './load.js'
import { machineMicroseconds, postgresMicroseconds } from './processors.js'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const EVENTS = Number(process.env.BENCH_EVENTS ?? 200_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 1)
const WANTED_PER_SECOND = 6_000
const WANTED_SHARE = 0.6
const QUEUE = 'telemetryEventTasks'

testEnvironment()
const database = await testDatabase()
const rabbitmq = await startRabbitmq()
const pool = new pg.Pool({ connectionString: database.url, max: 1 })
try {
  process.exitCode = (await compared()) ? 0 : 1
} finally {
  await pool.end()
  await rabbitmq.stop()
  await database.stop()
}

async function compared(): Promise<boolean> {
  const { boot } = await import('#tests/helpers/application')
  await boot()
  const rates = { platform: 0, bare: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    rates.platform = Math.max(rates.platform, await drained(platformConsumer))
    await requireSealed()
    rates.bare = Math.max(rates.bare, await drained(bareConsumer))
    const load = loadavg()[0]!.toFixed(1)
    console.log(
      `${EVENTS} events: ${Math.round(rates.platform)} a second, bare ${Math.round(rates.bare)}, ` +
        `share ${(rates.platform / rates.bare).toFixed(2)}, load ${load}`
    )
  }
  return rates.platform >= WANTED_PER_SECOND && rates.platform >= WANTED_SHARE * rates.bare
}

type Consuming = () => Promise<{ stop(): Promise<void> }>

/** Events per second, from the first one published until the last one is stored. */
async function drained(consuming: Consuming): Promise<number> {
  await pool.query('truncate events, event_chains, event_batches')
  await fill()
  const before = used()
  const startedAt = hrtime.bigint()
  const consumer = await consuming()
  await untilStored()
  const seconds = Number(hrtime.bigint() - startedAt) / 1e9
  const after = used()
  const costs = Object.entries(after).map(
    ([who, time]) => `${who} ${((time - before[who]!) / EVENTS).toFixed(0)}`
  )
  await consumer.stop()
  console.log(`${consuming.name}, µs of the processors per event: ${costs.join(', ')}`)
  return EVENTS / seconds
}

/** On a shared machine, processor time is more reliable than rates. */
function used(): Record<string, number> {
  const { user, system } = process.cpuUsage()
  const consumer = user + system
  const [broker, postgres] = [cpuMicroseconds(rabbitmq.pid), postgresMicroseconds()]
  const { busy, idle } = machineMicroseconds()
  return { consumer, broker, postgres, others: busy - consumer - broker - postgres, idle }
}

async function fill(): Promise<void> {
  const connection = await connect(rabbitmq.url)
  const channel = await connection.createConfirmChannel()
  await channel.assertQueue(QUEUE, { durable: true })
  await channel.purgeQueue(QUEUE)
  for (let number = 0; number < EVENTS; number++) {
    const { message, bytes } = eventMessage(number)
    const isRoomLeft = channel.sendToQueue(QUEUE, bytes, {
      persistent: true,
      messageId: message.id,
      type: message.type,
    })
    if (!isRoomLeft) {
      await channel.waitForConfirms()
    }
  }
  await channel.waitForConfirms()
  await connection.close()
}

async function platformConsumer() {
  const { AmqpBus } = await import('#bus/amqp/amqp_bus')
  const { ConsumerRunner } = await import('#bus/consumer_runner')
  const { eventConsumer } = await import('#telemetry/events/event_consumer')
  const { telemetryPool } = await import('#telemetry/database')
  const logger = { info() {}, warn: console.error, error: console.error }
  const bus = await AmqpBus.open(rabbitmq.url, logger)
  const runner = await ConsumerRunner.start(eventConsumer, { bus, pool: telemetryPool(), logger })
  return {
    async stop() {
      await runner.stop()
      await bus.close()
    },
  }
}

async function bareConsumer() {
  return copyingConsumer({ amqp: rabbitmq.url, database: database.url, queue: QUEUE })
}

/** To count takes time from what is measured, so it is done seldom until the end is near. */
async function untilStored(): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    const { rows } = await pool.query<{ kept: number }>('select count(*)::int as kept from events')
    const { kept: stored } = rows[0]!
    if (stored === EVENTS) {
      return
    }
    const msEach = (performance.now() - startedAt) / Math.max(stored, 1)
    await delay(Math.min(2_000, Math.max(30, (msEach * (EVENTS - stored)) / 2)))
  }
}

/** What is measured includes the seal: each event that was taken in is in a signed batch. */
async function requireSealed(): Promise<void> {
  const { rows } = await pool.query<{ sealed: number }>(
    'select sum(size)::int as sealed from event_batches'
  )
  if (rows[0]!.sealed !== EVENTS) {
    throw new Error(`${rows[0]!.sealed} of ${EVENTS} events are sealed`)
  }
}
