import { test } from '@japa/runner'

import { LockLost } from '#jobs/leader_election'
import type { Sweep } from '#jobs/sweep'
import { Sweeper } from '#jobs/sweeper'
import { overrideClock } from '#kernel/clock'
import { withManualTimers } from '#tests/helpers/manual_timers'

const HOUR_MS = 3_600_000

/** A sweeper of one sweep, whose lock a test gives, denies or takes away. */
function sweeperOf(run: Sweep['run'], lock: { isFree: boolean; lost: AbortController }) {
  const logged: string[] = []
  const log = (level: string) => (_: unknown, text: string) => void logged.push(`${level}: ${text}`)
  const sweeper = new Sweeper({
    sweeps: [{ name: 'test', schedule: { everyMs: HOUR_MS }, run }],
    leaderElection: async (_name, work) => {
      const done = lock.isFree ? await work(lock.lost.signal) : undefined
      lock.lost.signal.throwIfAborted()
      return done
    },
    logger: { info() {}, warn: log('warn'), error: log('error') } as never,
  })
  return { sweeper, logged }
}

const freeLock = () => ({ isFree: true, lost: new AbortController() })

test.group('Sweeps with stopped time', (group) => {
  group.each.setup(() => overrideClock({ now: () => 0 }))

  test('sweeps run at the start and whenever their time has come', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      let runs = 0
      const { sweeper } = sweeperOf(async () => ++runs, freeLock())
      sweeper.start()
      await pass(HOUR_MS - 1)
      assert.equal(runs, 1)
      await pass(1)
      assert.equal(runs, 2)
      await sweeper.stop()
      await pass(HOUR_MS)
      assert.equal(runs, 2)
    })
  })

  test('that another process runs are left to it until their next time', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      let runs = 0
      const lock = { ...freeLock(), isFree: false }
      const { sweeper, logged } = sweeperOf(async () => ++runs, lock)
      sweeper.start()
      await pass(HOUR_MS - 1)
      lock.isFree = true
      assert.equal(runs, 0)
      await pass(1)
      assert.equal(runs, 1)
      assert.isEmpty(logged)
      await sweeper.stop()
    })
  })

  test('that lose their lock are aborted, and tried again after ten seconds', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const lock = freeLock()
      const signals: AbortSignal[] = []
      const work = Promise.withResolvers<number>()
      const run = (signal: AbortSignal) => {
        signals.push(signal)
        return work.promise
      }
      const { sweeper, logged } = sweeperOf(run, lock)
      sweeper.start()
      await pass(0)
      lock.lost.abort(new LockLost('sweep:test'))
      assert.isTrue(signals[0]!.aborted)
      work.resolve(0)
      await pass(0)
      assert.deepEqual(logged, ['error: sweep failed; retrying in 10 s'])
      lock.lost = new AbortController()
      await pass(9_999)
      assert.lengthOf(signals, 1)
      await pass(1)
      assert.lengthOf(signals, 2)
      assert.isFalse(signals[1]!.aborted)
      await sweeper.stop()
    })
  })

  test('that fail again wait twice as long, up to their own interval', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const run = () => Promise.reject(new Error('no room'))
      const { sweeper, logged } = sweeperOf(run, freeLock())
      sweeper.start()
      for (let failures = 1; failures <= 11; failures++) {
        await pass(0)
        await pass(Math.min(10_000 * 2 ** (failures - 1), HOUR_MS))
      }
      assert.deepEqual(
        logged.slice(0, 11).map((text) => Number(/(\d+) s/.exec(text)![1])),
        [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600]
      )
      await sweeper.stop()
    })
  })

  test('that are to stop are aborted, and awaited', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const ended = Promise.withResolvers<number>()
      const run = (signal: AbortSignal) => {
        signal.addEventListener('abort', () => setImmediate(() => ended.resolve(0)))
        return ended.promise
      }
      const { sweeper } = sweeperOf(run, freeLock())
      sweeper.start()
      await pass(0)
      await sweeper.stop()
      assert.equal(await ended.promise, 0)
      await pass(HOUR_MS)
    })
  })
})
