/**
 * What those who write notice of a sweep: events come in at a steady rate (`BENCH_RATE` a second), first alone and then while
 * `EXPIRED` expired ones (1,000,000) are removed. Compared is the time from the publishing of an event until it is committed.
 */
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

import type { Bus } from '#bus/bus'
import type { EventBody } from '#telemetry/events/event'
import { clock } from '#kernel/clock'
import { eventMessage } from './event_messages.js'
import { withoutIndexes } from './seed_events.js'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'

const EXPIRED = Number(process.env.EXPIRED ?? 1_000_000)
const RATE = Number(process.env.BENCH_RATE ?? 500)
const ALONE_MS = 20_000
const TICK_MS = 10
const PER_SET = 1_000

testEnvironment()
const database = await testDatabase()
const rabbitmq = await startRabbitmq()
try {
  process.exitCode = (await compared()) ? 0 : 1
} finally {
  await rabbitmq.stop()
  await database.stop()
}

async function compared(): Promise<boolean> {
  const { boot } = await import('#tests/helpers/application')
  const { sweepEvents } = await import('#telemetry/events/event_sweep')
  await boot()
  await seedExpired()
  const ingest = await startIngest()
  await ingest.during(() => delay(3_000))
  const alone = await ingest.during(() => delay(ALONE_MS))
  const startedAt = performance.now()
  let removed: number | undefined
  const swept = await ingest.during(async () => {
    const logger = { info: (output: unknown) => console.log(output) }
    removed = (await sweepEvents({ logger }))?.removed
  })
  const seconds = (performance.now() - startedAt) / 1_000
  await ingest.stop()
  const load = loadavg()[0]!.toFixed(1)
  console.log(`${removed} expired events removed in ${seconds.toFixed(0)} s, load ${load}`)
  console.log(`alone:      ${logged(alone)}\nwith sweep: ${logged(swept)}`)
  return removed === EXPIRED && at(swept, 0.99) <= 2 * at(alone, 0.99)
}

/** Only what was sealed is removed, so these come in as others do, apart from having had their time. */
async function seedExpired(): Promise<void> {
  const { appendEvents } = await import('#telemetry/events/event_table')
  const { storedEvent } = await import('#telemetry/events/stored_event')
  const { REPORTED_ON_BUS } = await import('#telemetry/events/reporter')
  const { telemetryPool } = await import('#telemetry/database')
  const { inTransaction } = await import('#records/transaction')
  const pool = telemetryPool()
  const [createdAt, expiresAt] = [120, 60].map((minutes) =>
    new Date(Date.now() - minutes * 60_000).toISOString()
  ) as [string, string]
  const client = await pool.connect()
  const rebuild = await withoutIndexes(client)
  const seedFrom = async (first: number) => {
    for (let number = first; number < EXPIRED; number += 2 * PER_SET) {
      const set = Array.from({ length: PER_SET }, (_, each) => {
        const { message } = eventMessage(number + each)
        const content = storedEvent(message.data as EventBody, REPORTED_ON_BUS)
        return { ...content, id: clock.uuid(), expiring: true, createdAt, expiresAt }
      })
      await inTransaction(pool, (transaction) => appendEvents(transaction, set))
    }
  }
  await Promise.all([seedFrom(0), seedFrom(PER_SET)])
  await rebuild()
  client.release()
  await pool.query('vacuum analyze events, event_batches')
}

function at(times: readonly number[], share: number): number {
  return times[Math.floor(times.length * share)]!
}

function logged(times: readonly number[]): string {
  const [middle, late] = [at(times, 0.5), at(times, 0.99)]
  return `${times.length} events, median ${middle.toFixed(1)} ms, p99 ${late.toFixed(1)} ms`
}

async function startIngest() {
  const { AmqpBus } = await import('#bus/amqp/amqp_bus')
  const { ConsumerRunner } = await import('#bus/consumer_runner')
  const { eventConsumer } = await import('#telemetry/events/event_consumer')
  const { telemetryPool } = await import('#telemetry/database')
  const logger = { info() {}, warn: console.error, error: console.error }
  const bus = await AmqpBus.open(rabbitmq.url, logger)
  const published = new Map<string, number>()
  let times: number[] = []
  const timed: Bus = {
    isReady: true,
    admitWorkers: () => {},
    hasConsumers: async () => true,
    publish: (message) => bus.publish(message),
    close: () => bus.close(),
    subscribe: (subscription, deliver) =>
      bus.subscribe(subscription, async (delivery) => {
        await deliver(delivery)
        const { id } = JSON.parse(Buffer.from(delivery.bytes).toString()) as { id: string }
        times.push(performance.now() - published.get(id)!)
        published.delete(id)
      }),
  }
  const runner = await ConsumerRunner.start(eventConsumer, {
    bus: timed,
    pool: telemetryPool(),
    logger,
  })
  while (!bus.isReady) {
    await delay(10)
  }
  const stopping = new AbortController()
  const publishing = publish()

  async function publish(): Promise<void> {
    let due = 0
    for (let number = 0, start = performance.now(); !stopping.signal.aborted;) {
      due = ((performance.now() - start) * RATE) / 1_000
      for (; number < due; number++) {
        const { message } = eventMessage(number)
        published.set(message.id, performance.now())
        void bus.publish(message)
      }
      await delay(TICK_MS)
    }
  }

  return {
    /** How long the events took that came in while something was done, in order. */
    async during(work: () => Promise<unknown>): Promise<readonly number[]> {
      times = []
      await work()
      return times.toSorted((one, other) => one - other)
    },
    async stop() {
      stopping.abort()
      await publishing
      await runner.stop()
      await bus.close()
    },
  }
}
