import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'
import pg from 'pg'

import { IdentityUnavailable } from '#kernel/failures'
import { electionOn } from '#jobs/leader_election'
import { msUntilNext, type Sweep } from '#jobs/sweep'
import { Sweeper } from '#jobs/sweeper'
import { eventually } from '#tests/helpers/eventually'

const silent = { info() {}, warn() {}, error() {} }

function openPool(): pg.Pool {
  return new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 })
}

function sweep(run: Sweep['run'], everyMs = 60_000): Sweep {
  return { name: 'test', schedule: { everyMs }, run }
}

test.group('Sweeper', () => {
  test('runs a sweep at the start and again on its schedule', async ({ cleanup }) => {
    const pool = openPool()
    let runs = 0
    const sweeper = new Sweeper({
      sweeps: [sweep(async () => ++runs, 20)],
      leaderElection: electionOn(pool),
      logger: silent,
    })
    cleanup(() => sweeper.stop().then(() => pool.end()))
    sweeper.start()
    await eventually(() => runs >= 3)
  })

  test('a sweep runs in one process at a time', async ({ assert, cleanup }) => {
    const pools = [openPool(), openPool(), openPool()]
    let atOnce = 0
    let most = 0
    const slow = async () => {
      most = Math.max(most, ++atOnce)
      await delay(30)
      atOnce--
      return 1
    }
    const sweepers = pools.map(
      (pool) =>
        new Sweeper({ sweeps: [sweep(slow, 5)], leaderElection: electionOn(pool), logger: silent })
    )
    cleanup(async () => void (await Promise.all(pools.map((pool) => pool.end()))))
    sweepers.forEach((sweeper) => sweeper.start())
    await delay(300)
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()))
    assert.equal(most, 1)
  })

  test('sweeps never wait for each other’s connections', async ({ assert, cleanup }) => {
    const pool = openPool()
    const done: string[] = []
    const sweeps = Array.from({ length: 6 }, (_, number) => ({
      name: `sweep-${number}`,
      schedule: { everyMs: 60_000 },
      async run() {
        await pool.query('select pg_sleep(0.01)')
        done.push(this.name)
        return 0
      },
    }))
    const sweeper = new Sweeper({ sweeps, leaderElection: electionOn(pool), logger: silent })
    cleanup(() => sweeper.stop().then(() => pool.end()))
    sweeper.start()
    await delay(1_000)
    assert.lengthOf(done, sweeps.length)
  })

  test('a failing sweep is logged and tried again', async ({ assert, cleanup }) => {
    const pool = openPool()
    const failures: unknown[] = []
    let runs = 0
    const failing = async () => {
      runs++
      throw new Error('no')
    }
    const logger = { ...silent, error: (details: unknown) => void failures.push(details) }
    const sweeper = new Sweeper({
      sweeps: [sweep(failing, 10)],
      leaderElection: electionOn(pool),
      logger,
    })
    cleanup(() => pool.end())
    sweeper.start()
    await delay(150)
    await sweeper.stop()
    assert.isAtLeast(runs, 2)
    assert.equal(failures.length, runs)
  })

  test('a sweep that cannot do its work now is tried again soon, later each time, and says so', async ({
    assert,
    cleanup,
  }) => {
    const pool = openPool()
    const logged: string[] = []
    const runs: number[] = []
    const logger = { ...silent, warn: (_: unknown, message: string) => void logged.push(message) }
    const hourly = sweep(async () => {
      runs.push(performance.now())
      if (runs.length <= 3) {
        throw new IdentityUnavailable()
      }
      return 0
    }, 3_600_000)
    const sweeper = new Sweeper({
      sweeps: [hourly],
      leaderElection: electionOn(pool),
      logger: logger as never,
      retryMs: 20,
    })
    cleanup(() => sweeper.stop().then(() => pool.end()))
    sweeper.start()
    await delay(800)
    assert.lengthOf(runs, 4)
    assert.isAtLeast(runs[3]! - runs[2]!, 75)
    assert.lengthOf(logged, 3)
    logged.forEach((text) => assert.match(text, /sweep failed; retrying in 1 s/))
  })

  test('stopping asks the running sweep to end and waits for it', async ({ assert, cleanup }) => {
    const pool = openPool()
    cleanup(() => pool.end())
    let ended = false
    const untilRequested = async (signal: AbortSignal) => {
      while (!signal.aborted) {
        await delay(5)
      }
      ended = true
      return 0
    }
    const sweeper = new Sweeper({
      sweeps: [sweep(untilRequested)],
      leaderElection: electionOn(pool),
      logger: silent,
    })
    sweeper.start()
    await delay(50)
    await sweeper.stop()
    assert.isTrue(ended)
  })
})

test.group('Sweep schedule', () => {
  const at = (text: string) => new Date(text).getTime()

  test('a daily sweep is due at its hour, today or tomorrow', ({ assert }) => {
    const hour = 3_600_000
    assert.equal(msUntilNext({ dailyAt: { hour: 1 } }, at('2026-11-21T00:30:00')), hour / 2)
    assert.equal(msUntilNext({ dailyAt: { hour: 1 } }, at('2026-11-21T01:00:00')), 24 * hour)
    assert.equal(msUntilNext({ dailyAt: { hour: 1 } }, at('2026-11-21T13:00:00')), 12 * hour)
  })
})
