import { once } from 'node:events'

import { test } from '@japa/runner'
import pg from 'pg'

import { IdentityUnavailable } from '#kernel/failures'
import { electionOn, type LeaderElection } from '#jobs/leader_election'
import { msUntilNext, type Sweep } from '#jobs/sweep'
import { Sweeper } from '#jobs/sweeper'
import { eventually } from '#tests/helpers/eventually'
import { withManualTimers } from '#tests/helpers/manual_timers'

const silent = { info() {}, warn() {}, error() {} }

function openPool(): pg.Pool {
  return new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 })
}

function sweep(run: Sweep['run'], everyMs = 60_000): Sweep {
  return { name: 'test', schedule: { everyMs }, run }
}

test.group('Sweeper', () => {
  test('the sweeper runs a sweep at the start and again on its schedule', async ({ cleanup }) => {
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
    const finish = Promise.withResolvers<void>()
    let [runs, refused, atOnce, most] = [0, 0, 0, 0]
    const lasting = async () => {
      most = Math.max(most, ++atOnce)
      await finish.promise
      atOnce--
      return ++runs
    }
    const counting =
      (elect: LeaderElection): LeaderElection =>
      async (name, work) => {
        const result = await elect(name, work)
        refused += result === undefined ? 1 : 0
        return result
      }
    const sweepers = pools.map((pool) => {
      const leaderElection = counting(electionOn(pool))
      return new Sweeper({ sweeps: [sweep(lasting, 5)], leaderElection, logger: silent })
    })
    cleanup(async () => void (await Promise.all(pools.map((pool) => pool.end()))))
    sweepers.forEach((sweeper) => sweeper.start())
    await eventually(() => refused >= 6 || most > 1)
    finish.resolve()
    await eventually(() => runs >= 10)
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
    await eventually(() => done.length === sweeps.length)
    assert.lengthOf(new Set(done), sweeps.length)
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
    await eventually(() => runs >= 2)
    await sweeper.stop()
    assert.equal(failures.length, runs)
  })

  test('a sweep that cannot do its work now is tried again soon, later each time, and says so', async ({
    assert,
  }) => {
    const logged: string[] = []
    let runs = 0
    const logger = { ...silent, warn: (_: unknown, message: string) => void logged.push(message) }
    const hourly = sweep(async () => {
      if (++runs <= 3) {
        throw new IdentityUnavailable()
      }
      return 0
    }, 3_600_000)
    const sweeper = new Sweeper({
      sweeps: [hourly],
      leaderElection: (_, work) => work(new AbortController().signal),
      logger: logger as never,
      retryMs: 20,
    })
    await withManualTimers(async (pass) => {
      sweeper.start()
      for (const [waitMs, runsBefore] of [
        [20, 1],
        [40, 2],
        [80, 3],
        [3_600_000, 4],
      ] as const) {
        await pass(waitMs - 1)
        assert.equal(runs, runsBefore)
        await pass(1)
        assert.equal(runs, runsBefore + 1)
      }
      await sweeper.stop()
    })
    assert.lengthOf(logged, 3)
    logged.forEach((text) => assert.match(text, /sweep failed; retrying in 1 s/))
  })

  test('stopping asks the running sweep to end and waits for it', async ({ assert, cleanup }) => {
    const pool = openPool()
    cleanup(() => pool.end())
    const started = Promise.withResolvers<void>()
    let ended = false
    const untilRequested = async (signal: AbortSignal) => {
      started.resolve()
      await once(signal, 'abort')
      await pool.query('select 1')
      ended = true
      return 0
    }
    const sweeper = new Sweeper({
      sweeps: [sweep(untilRequested)],
      leaderElection: electionOn(pool),
      logger: silent,
    })
    sweeper.start()
    await started.promise
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
