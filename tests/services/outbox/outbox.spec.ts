import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'
import pg from 'pg'

import { newMessage } from '#bus/message'
import { onOutboxWritten, OUTBOX_TOPIC } from '#outbox/wakeups'
import { publishChange, publishCommand } from '#outbox/publish'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'
import { RedisSignals } from '#signals/redis_signals'
import { boot } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { until } from '#tests/integration/outbox/outbox_scene'
import { Listener, type ReceivedEvent } from './listener.js'
import { randomPause, realTime } from '#tests/helpers/real_time'

const PROGRAM = fileURLToPath(new URL('./relay_program.ts', import.meta.url))
const QUEUE = 'masterImageBuilderTasks'

const origin = {
  actor: identity().actor,
  requestId: 'r',
  address: '::1',
  userAgent: undefined,
}

let redis: RealServer
let rabbitmq: RealServer
let pool: pg.Pool
let listener: Listener

function startRelayProcess(): ChildProcess {
  const env = {
    ...process.env,
    AMQP_URL: rabbitmq.url,
    REDIS_URL: redis.url,
    SURFACES: 'core',
    JOBS: 'outbox',
  }
  return spawn(process.execPath, [...process.execArgv, PROGRAM], { env, stdio: 'inherit' })
}

async function killed(victim: ChildProcess): Promise<void> {
  const gone = once(victim, 'exit')
  victim.kill('SIGKILL')
  await gone
}

/** A stream of changes and commands of some records, the steps of each record in order. */
class Stream {
  readonly #records = Array.from({ length: 20 }, () => clock.uuid())
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  #step = 0

  constructor() {
    this.#running = this.#run()
  }

  /** How many steps each record has made. */
  get steps(): number {
    return this.#step
  }

  /** Ends the stream; answers how many steps each record made. */
  async end(): Promise<{ records: string[]; steps: number }> {
    this.#stop.abort()
    await this.#running
    return { records: this.#records, steps: this.#step }
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const step = ++this.#step
      await inTransaction(pool, async (transaction) => {
        for (const id of this.#records) {
          await change(transaction, id, step)
        }
      })
      await randomPause(10)
    }
  }
}

async function change(transaction: pg.ClientBase, id: string, step: number): Promise<void> {
  await publishChange(transaction, {
    kind: 'node',
    type: 'updated',
    id,
    realmId: null,
    origin,
    previous: { id, name: String(step - 1) },
    next: { id, name: String(step) },
  })
  const command = newMessage({ type: 'work', key: QUEUE }, 'execute', { id, step })
  await publishCommand(transaction, command, id)
}

async function drained(): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const { rows } = await pool.query('select count(*)::int as depth from outbox')
    if (rows[0].depth === 0) {
      return performance.now() - startedAt
    }
    if (performance.now() - startedAt > 2 * CAUGHT_UP_WITHIN_MS) {
      throw new Error(`${rows[0].depth} entries are stuck`)
    }
    await realTime(50, 'counting is not to slow down what is counted')
  }
}

/** What a listener heard of each record: each step, and for the last time in order; one id for each step. */
function problemsOf(received: ReceivedEvent[], records: string[], steps: number): string[] {
  return records.flatMap((record) => {
    const own = received.filter((each) => each.record === record)
    const last = [...new Set(own.map(({ step }) => step).reverse())].reverse()
    const ids = new Set(own.map(({ id, step }) => `${id} ${step}`))
    return [
      ...(last.length === steps ? [] : [`${record}: ${last.length} of ${steps} steps`]),
      ...(last.every((step, index) => step === index + 1) ? [] : [`${record}: not in order`]),
      ...(ids.size === steps ? [] : [`${record}: ${ids.size} ids for ${steps} steps`]),
    ]
  })
}

/** What is wrong still when everything that is in the broker should have been heard. */
async function finalProblemsOf(
  received: ReceivedEvent[],
  records: string[],
  steps: number
): Promise<string[]> {
  const isComplete = () => problemsOf(received, records, steps).length === 0
  await until('everything is heard', isComplete, 10_000).catch(() => {})
  return problemsOf(received, records, steps)
}

/** Ten times of what a quiet machine needs. */
const CAUGHT_UP_WITHIN_MS = 100_000
const QUEUES_LAST = 'RabbitMQ confirms queues up to two seconds before they survive a kill'

/** Kills a server during a stream and starts it again; meanwhile those that do not need it go on hearing. */
async function streamWhileAway(server: RealServer, others: readonly unknown[]) {
  const stream = new Stream()
  await realTime(3_000, QUEUES_LAST)
  await server.kill()
  await realTime(2_500, 'an outage lasts')
  const before = others.length
  await until('the others go on', () => others.length > before)
  await server.restart()
  const written = await stream.end()
  const took = await drained()
  if (took > CAUGHT_UP_WITHIN_MS) {
    throw new Error(`It took ${Math.round(took)} ms to catch up`)
  }
  return written
}

test.group('The outbox with RabbitMQ and Redis', (group) => {
  group.setup(async () => {
    await boot()
    ;[redis, rabbitmq] = await Promise.all([startRedis(), startRabbitmq()])
    pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 3 })
    const signals = await RedisSignals.connect(redis.url, () => {})
    const stopWaking = onOutboxWritten(() => signals.notify(OUTBOX_TOPIC))
    return async () => {
      stopWaking()
      await Promise.all([pool.end(), signals.close()])
      await Promise.all([redis.stop(), rabbitmq.stop()])
    }
  })
  group.each.setup(async () => {
    await pool.query('truncate outbox')
    listener = await Listener.start(rabbitmq.url, redis.url, QUEUE)
    return () => listener.close()
  })

  test('the outbox publishes everything in order, whenever its process is killed', async ({
    assert,
    cleanup,
  }) => {
    let relay = startRelayProcess()
    cleanup(() => killed(relay))
    const stream = new Stream()
    for (let round = 0; round < 5; round++) {
      const before = stream.steps
      await until('it goes on', () => stream.steps > before + 20)
      await randomPause(500)
      await killed(relay)
      relay = startRelayProcess()
    }
    await until('records made steps enough', () => stream.steps > 50)
    const { records, steps } = await stream.end()
    await drained()
    for (const received of [listener.audited, listener.told, listener.commanded]) {
      assert.deepEqual(await finalProblemsOf(received, records, steps), [])
    }
  }).timeout(600_000)

  test('the broker killed: channels receive events meanwhile, and it receives everything when it is back', async ({
    assert,
    cleanup,
  }) => {
    const relay = startRelayProcess()
    cleanup(() => killed(relay))
    const { records, steps } = await streamWhileAway(rabbitmq, listener.published)
    for (const received of [listener.audited, listener.told, listener.commanded]) {
      assert.deepEqual(await finalProblemsOf(received, records, steps), [])
    }
  }).timeout(600_000)

  test('Redis killed: the bus receives events meanwhile, and channels continue when it is back', async ({
    assert,
    cleanup,
  }) => {
    const relay = startRelayProcess()
    cleanup(() => killed(relay))
    const { records, steps } = await streamWhileAway(redis, listener.told)
    assert.deepEqual(await finalProblemsOf(listener.told, records, steps), [])
    const { channel, event } = listener.published.at(-1)!
    assert.match(channel, /^resources\/node\/?/)
    assert.equal(event, 'updated')
  }).timeout(600_000)

  test('a paused broker holds up nothing but what goes to it', async ({ assert, cleanup }) => {
    const relay = startRelayProcess()
    cleanup(() => killed(relay))
    const stream = new Stream()
    await realTime(3_000, QUEUES_LAST)
    await rabbitmq.pause()
    cleanup(() => rabbitmq.resume())
    await realTime(3_000, 'an outage lasts')
    const before = listener.published.length
    await until('channels go on', () => listener.published.length > before)
    rabbitmq.resume()
    const { records, steps } = await stream.end()
    assert.isBelow(await drained(), CAUGHT_UP_WITHIN_MS)
    assert.deepEqual(await finalProblemsOf(listener.told, records, steps), [])
  }).timeout(600_000)
})
