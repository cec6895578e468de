import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'
import type pg from 'pg'

import { runDueTasks, runTask, type TaskWorker } from '#jobs/tasks/task_worker'
import type { Task } from '#jobs/tasks/task_queue'
import { TaskRunner } from '#jobs/tasks/task_runner'
import { Tasks } from '#jobs/tasks/tasks'
import { eventually } from '#tests/helpers/eventually'
import { overrideClock } from '#kernel/clock'
import { emptyDatabase } from '#tests/helpers/database/empty_database'
import { withLockedRow } from '#tests/helpers/locked_row'

const QUEUE = { name: 'test', backOff: { firstMs: 1_000, longestMs: 8_000 } }

let database: Awaited<ReturnType<typeof emptyDatabase>>
let pool: pg.Pool
let passedMs: number
let done: string[]

const withTasks = async () => {
  database = await emptyDatabase()
  pool = database.pool
  passedMs = 0
  done = []
  const release = overrideClock({ now: () => Date.now() + passedMs })
  return async () => {
    release()
    await database.stop()
  }
}

const worker = (
  tasks: Tasks<string>,
  perform: (task: Task<string>) => Promise<boolean | void>,
  onFailure: TaskWorker<string>['onFailure'] = () => {}
): TaskWorker<string> => ({
  tasks,
  concurrency: 4,
  onFailure,
  async perform(task) {
    const isFinished = await perform(task)
    done.push(task.data)
    return isFinished
  },
})

const rows = async (text: string) => (await pool.query(text)).rows

test.group('Tasks', (group) => {
  let tasks: Tasks<string>

  group.each.setup(async () => {
    const stop = await withTasks()
    await database.migrate('bus', 'core')
    tasks = new Tasks(pool, QUEUE)
    return stop
  })

  test('tasks are not enqueued if their transaction rolls back', async ({ assert }) => {
    const client = await pool.connect()
    await client.query('begin')
    await tasks.enqueue({ key: 'a', data: 'one' }, client)
    await client.query('rollback')
    client.release()
    assert.isEmpty(await tasks.claim(1))
  })

  test('replace one with the same key', async ({ assert }) => {
    await tasks.enqueue({ key: 'a', data: 'one' })
    await tasks.enqueue({ key: 'a', data: 'two' })
    await runDueTasks(worker(tasks, async () => {}))
    assert.deepEqual(done, ['two'])
    assert.isEmpty(await rows('select * from tasks'))
  })

  test('a task runs in one process, however many poll', async ({ assert }) => {
    for (let n = 0; n < 40; n++) {
      await tasks.enqueue({ key: `${n}`, data: `${n}` })
    }
    const each = () => runDueTasks(worker(tasks, () => nextTurn()))
    await Promise.all([each(), each(), each()])
    assert.lengthOf(done, 40)
    assert.equal(new Set(done).size, 40)
  })

  test('tasks go to another process when a lease expires', async ({ assert }) => {
    await tasks.enqueue({ key: 'a', data: 'one' })
    const [task] = await tasks.claim(5)
    passedMs = 25_000
    await tasks.renewLease(task!)
    passedMs = 50_000
    assert.isUndefined(await tasks.claimOne('a'))
    passedMs = 56_000
    assert.equal((await tasks.claimOne('a'))!.attempts, 2)
  })

  test('a task that another process has claimed since is neither renewed, finished nor released by the former one', async ({
    assert,
  }) => {
    const leasedUntil = async () => (await rows('select * from tasks'))[0].leased_until
    await tasks.enqueue({ key: 'a', data: 'one' })
    const first = (await tasks.claimOne('a'))!
    passedMs = 20_000
    await tasks.renewLease(first)
    passedMs = 51_000
    const second = (await tasks.claimOne('a'))!
    const lease = await leasedUntil()
    passedMs = 60_000

    await tasks.renewLease(first)
    assert.deepEqual(await leasedUntil(), lease)
    assert.isFalse(await tasks.release(first))
    assert.deepEqual(await leasedUntil(), lease)
    await tasks.enqueue({ key: 'a', data: 'two' })
    assert.isTrue(await tasks.finish(first), 'it has nothing more to do about it')
    assert.deepEqual(await leasedUntil(), lease)
    await tasks.renewLease(second)
    assert.isAbove((await leasedUntil()).getTime(), lease.getTime())
    assert.isFalse(await tasks.finish(second))
    assert.equal((await tasks.claimOne('a'))!.data, 'two')
  })

  test('a round awaits all of its tasks, even if one cannot be released', async ({ assert }) => {
    await tasks.enqueue({ key: 'a', data: 'fails' })
    await tasks.enqueue({ key: 'b', data: 'lasts' })
    const going = Promise.withResolvers<void>()
    const uneven = worker(
      tasks,
      async ({ data }) => {
        if (data === 'fails') {
          throw new Error('away')
        }
        await going.promise
      },
      () => {
        setImmediate(() => going.resolve())
        throw new Error('and no report is possible')
      }
    )
    await assert.rejects(() => runDueTasks(uneven), 'and no report is possible')
    assert.deepEqual(done, ['lasts'])
  })

  test('that failed are retried with growing delays', async ({ assert }) => {
    await tasks.enqueue({ key: 'a', data: 'one' })
    const failing = worker(tasks, () => Promise.reject(new Error('away')))
    const pauses: number[] = []
    for (let n = 0; n < 5; n++) {
      await runDueTasks(failing)
      const [{ due_at: dueAt, leased_until: taken }] = await rows('select * from tasks')
      assert.isNull(taken)
      pauses.push(Math.round((dueAt.getTime() - Date.now() - passedMs) / 100) / 10)
      passedMs += 9_000
    }
    pauses.forEach((pause, n) => assert.isAtMost(pause, Math.min(2 ** n, 8)))
    assert.isAbove(pauses[4]!, 3.5)
  })

  test('that failed wait for the delay of their worker', async ({ assert }) => {
    await tasks.enqueue({ key: 'a', data: 'one' })
    const failing = worker(
      tasks,
      () => Promise.reject(new Error('away')),
      () => 100_000
    )
    await runDueTasks(failing)
    passedMs = 99_000
    assert.isUndefined(await tasks.claimOne('a'))
    passedMs = 101_000
    assert.isDefined(await tasks.claimOne('a'))
  })

  test('that are enqueued again while they run, run again', async ({ assert }) => {
    await tasks.enqueue({ key: 'a', data: 'one' })
    const again = worker(tasks, async ({ data }) => {
      if (data === 'one') {
        await tasks.enqueue({ key: 'a', data: 'two' })
      }
      assert.isUndefined(await tasks.claimOne('a'))
    })
    await runTask(again, 'a')
    assert.deepEqual(done, ['one', 'two'])
    assert.isEmpty(await rows('select * from tasks'))
  })

  test('a failed task that was enqueued again meanwhile is retried at once, otherwise after its delay', async ({
    assert,
  }) => {
    await tasks.enqueue({ key: 'a', data: 'one' })
    const failing = worker(tasks, async ({ data }) => {
      if (data === 'one') {
        await tasks.enqueue({ key: 'a', data: 'two' })
      }
      throw new Error('not now')
    })
    await runTask(failing, 'a')
    const [left] = await rows('select * from tasks')
    assert.deepInclude(left, { data: 'two', attempts: 1 })
    assert.isUndefined(await tasks.claimOne('a'))
  })

  test('{title} is released if a transaction enqueues it concurrently')
    .with([
      { title: 'one that is done', end: (task: Task<string>) => tasks.finish(task) },
      { title: 'one that failed', end: (task: Task<string>) => tasks.release(task) },
    ])
    .run(async ({ assert }, { end }) => {
      await tasks.enqueue({ key: 'a', data: 'one' })
      const taken = await tasks.claimOne('a')
      const putAgain = {
        locks: 'select 1 from tasks where key = $1 for update',
        then: `update tasks set data = '"two"', attempts = 0, revision = revision + 1 where key = $1`,
        id: 'a',
      }
      await withLockedRow(pool, putAgain, () => end(taken!))
      assert.equal((await tasks.claimOne('a'))?.data, 'two')
    })

  test('a task can be cancelled until a process has claimed it', async ({ assert }) => {
    await tasks.enqueue({ key: 'a', data: 'one', dueAt: Date.now() + 60_000 })
    await tasks.enqueue({ key: 'b', data: 'two', dueAt: Date.now() + 60_000 })
    assert.isTrue(await tasks.cancel('a'))
    assert.isFalse(await tasks.cancel('a'))
    assert.isDefined(await tasks.claimEarly('b'))
    assert.isUndefined(await tasks.claimEarly('b'))
    assert.isFalse(await tasks.cancel('b'))
  })

  test('tasks stay while their queue is paused for them', async ({ assert }) => {
    const paused = new Tasks<string>(pool, { ...QUEUE, pausedWhile: `t.data = '"two"'` })
    await paused.enqueue({ key: 'a', data: 'one' })
    await paused.enqueue({ key: 'b', data: 'two' })
    await runDueTasks(worker(paused, async () => {}))
    assert.deepEqual(done, ['one'])
  })

  test('tasks of other queues are not claimed', async ({ assert }) => {
    const others = new Tasks<string>(pool, { ...QUEUE, name: 'other' })
    await tasks.enqueue({ key: 'a', data: 'one' })
    await others.enqueue({ key: 'a', data: 'two' })
    await runDueTasks(worker(others, async () => {}))
    assert.deepEqual(done, ['two'])
    assert.isDefined(await tasks.claimOne('a'))
  })

  test('a runner runs tasks when it is notified, and when it starts', async ({
    assert,
    cleanup,
  }) => {
    await tasks.enqueue({ key: 'a', data: 'one' })
    let wake = () => {}
    const signals = {
      async onNotification(_: string, listener: () => void) {
        wake = listener
        return async () => {}
      },
    }
    const logger = { warn() {} }
    const finished = worker(tasks, async () => {})
    const runner = await TaskRunner.start({ worker: finished, signals, logger })
    cleanup(() => runner.stop())
    await eventually(() => done.length === 1)
    await tasks.enqueue({ key: 'b', data: 'two' })
    wake()
    await eventually(() => done.length === 2)
    assert.deepEqual(done, ['one', 'two'])
  })
})
