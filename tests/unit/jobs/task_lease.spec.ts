import { test } from '@japa/runner'

import { runTask } from '#jobs/tasks/task_worker'
import { TaskRunner } from '#jobs/tasks/task_runner'
import { Tasks } from '#jobs/tasks/tasks'
import { overrideClock } from '#kernel/clock'
import { FakePool } from '#tests/helpers/database/fake_pool'
import { withManualTimers } from '#tests/helpers/manual_timers'

const QUEUE = { name: 'test', backOff: { firstMs: 1_000, longestMs: 8_000 } }
const RENEWAL = /^update tasks set leased_until = \$3/
const CLAIM = /attempts = t\.attempts \+ 1/
const NOTHING = { rows: [], rowCount: 0 }

let now = 0

const at = (seconds: number) => new Date(seconds * 1_000)
const taskUntil = (seconds: number) => ({
  key: 'a',
  data: 'one',
  attempts: 1,
  revision: 1,
  leases: [at(seconds)],
})

/** A queue on a table of which a test gives the answers; it has one task to claim. */
function queueOf() {
  let isClaimed = false
  const pool = new FakePool(async ({ text, values }) => {
    if (!CLAIM.test(text) || isClaimed) {
      return { rows: [], rowCount: 1 }
    }
    isClaimed = true
    return { rows: [{ ...taskUntil(0), leases: [values[1]] }] }
  })
  const sent = (pattern: RegExp) => pool.statements.filter(({ text }) => pattern.test(text))
  return { pool, tasks: new Tasks<string>(pool.asPool, QUEUE), sent }
}

/** Lets time pass on the clock and for timers. */
async function passOn(pass: (ms: number) => Promise<void>, milliseconds: number): Promise<void> {
  now += milliseconds
  await pass(milliseconds)
}

test.group('The lease of a task', (group) => {
  group.each.setup(() => {
    now = 0
    return overrideClock({ now: () => now })
  })

  test('a lease ends half a minute after the claim, and tasks whose lease has ended by now are free', async ({
    assert,
  }) => {
    const { tasks, sent } = queueOf()
    now = 5_000
    await tasks.claimOne('a')
    await tasks.claim(4)
    for (const { text, values } of sent(CLAIM)) {
      assert.deepEqual(values.slice(0, 2), [at(5), at(35)])
      assert.include(text, 'leased_until <= $1')
      assert.include(text, 'leased_until = $2')
    }
    assert.lengthOf(sent(CLAIM), 2)
  })

  test('a lease is renewed every ten seconds while the task runs, and not once it is over', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const { tasks, sent } = queueOf()
      const work = Promise.withResolvers<void>()
      const running = runTask(
        { tasks, concurrency: 1, perform: () => work.promise, onFailure: () => {} },
        'a'
      )
      await passOn(pass, 0)
      await passOn(pass, 9_999)
      assert.isEmpty(sent(RENEWAL))
      await passOn(pass, 1)
      await passOn(pass, 10_000)
      assert.deepEqual(
        sent(RENEWAL).map(({ values: [, , until, former] }) => [until, former]),
        [
          [at(40), [at(30)]],
          [at(50), [at(40)]],
        ]
      )
      work.resolve()
      await running
      await passOn(pass, 60_000)
      assert.lengthOf(sent(RENEWAL), 2)
    })
  })

  test('a lease is renewed no more after the task failed either', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { tasks, sent } = queueOf()
      const perform = () => Promise.reject(new Error('away'))
      await runTask({ tasks, concurrency: 1, perform, onFailure: () => {} }, 'a')
      await passOn(pass, 60_000)
      assert.isEmpty(sent(RENEWAL))
    })
  })

  test('whose renewal fails ends nothing, and is tried again', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { pool, tasks, sent } = queueOf()
      const task = (await tasks.claimOne('a'))!
      const answerless = () => Promise.reject(new Error('the server went away'))
      const work = Promise.withResolvers<void>()
      pool.answerWith(async ({ text }) => {
        if (CLAIM.test(text)) {
          return { rows: [task] }
        }
        return RENEWAL.test(text) ? answerless() : { rows: [], rowCount: 1 }
      })
      const running = runTask(
        {
          tasks,
          concurrency: 1,
          perform: () => work.promise.then(() => true),
          onFailure: () => {},
        },
        'a'
      )
      await passOn(pass, 0)
      await passOn(pass, 10_000)
      await passOn(pass, 10_000)
      assert.lengthOf(sent(RENEWAL), 2)
      pool.answerWith(async () => NOTHING)
      work.resolve()
      await running
    })
  })

  test('a lease ends where the last renewal says, or an earlier one whose answer was lost', async ({
    assert,
  }) => {
    const { pool, tasks, sent } = queueOf()
    const task = taskUntil(30)
    pool.answerWith(() => Promise.reject(new Error('the answer was lost')))
    now = 10_000
    await assert.rejects(() => tasks.renewLease(task))
    assert.deepEqual(task.leases, [at(30), at(40)])
    pool.answerWith(async () => ({ rowCount: 1 }))
    now = 20_000
    await tasks.renewLease(task)
    assert.deepEqual(sent(RENEWAL)[1]!.values.slice(2), [at(50), [at(30), at(40)]])
    assert.deepEqual(task.leases, [at(50)])
    await tasks.release(task, 0)
    assert.deepEqual(pool.statements.at(-1)!.values[4], [at(50)])
  })

  test('a lease is given with both of its possible ends while it is being renewed', async ({
    assert,
  }) => {
    const { pool, tasks } = queueOf()
    const task = taskUntil(30)
    const answer = Promise.withResolvers<{ rowCount: number }>()
    pool.answerWith(() => answer.promise)
    now = 10_000
    const renewed = tasks.renewLease(task)
    pool.answerWith(async () => NOTHING)
    await tasks.release(task, 0)
    assert.deepEqual(pool.statements.at(-1)!.values[4], [at(30), at(40)])
    answer.resolve({ rowCount: 1 })
    await renewed
  })
})

test.group('The runner of a queue', (group) => {
  group.each.setup(() => overrideClock({ now: () => 0 }))

  const warnings: string[] = []
  const logger = { warn: (_: unknown, text: string) => void warnings.push(text) } as never

  async function startRunner() {
    const pool = new FakePool(async () => NOTHING)
    const tasks = new Tasks<string>(pool.asPool, QUEUE)
    let notify = () => {}
    let isSubscribed = true
    const signals = {
      async onNotification(_: string, listener: () => void) {
        notify = listener
        return async () => void (isSubscribed = false)
      },
    }
    const worker = { tasks, concurrency: 1, perform: async () => {}, onFailure: () => {} }
    const runner = await TaskRunner.start({ worker, signals, logger })
    const rounds = () => pool.statements.length
    return { pool, runner, rounds, notify: () => notify(), isSubscribed: () => isSubscribed }
  }

  test('claims at the start, every five seconds, and when it is notified, until it is stopped', async ({
    assert,
  }) => {
    await withManualTimers(async (pass) => {
      const { runner, rounds, notify, isSubscribed } = await startRunner()
      await pass(4_999)
      assert.equal(rounds(), 1)
      await pass(1)
      assert.equal(rounds(), 2)
      notify()
      await pass(0)
      assert.equal(rounds(), 3)
      await runner.stop()
      await pass(60_000)
      assert.equal(rounds(), 3)
      assert.isFalse(isSubscribed())
    })
  })

  test('claims once more where it was notified while it did, however often', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { pool, runner, rounds, notify } = await startRunner()
      await pass(0)
      const answer = Promise.withResolvers<typeof NOTHING>()
      pool.answerWith(() => answer.promise)
      const before = rounds()
      notify()
      notify()
      notify()
      await pass(0)
      assert.equal(rounds(), before + 1)
      pool.answerWith(async () => NOTHING)
      answer.resolve(NOTHING)
      await pass(0)
      assert.equal(rounds(), before + 2)
      await runner.stop()
    })
  })

  test('that cannot claim logs it and tries again at the next turn', async ({ assert }) => {
    await withManualTimers(async (pass) => {
      const { pool, runner, rounds } = await startRunner()
      await pass(0)
      pool.answerWith(() => Promise.reject(new Error('no connection')))
      const before = rounds()
      await pass(5_000)
      await pass(5_000)
      assert.equal(rounds(), before + 2)
      assert.deepEqual(warnings, Array(2).fill('tasks could not be claimed'))
      await runner.stop()
    })
  })
})
