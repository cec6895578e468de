import { test } from '@japa/runner'

import { TaskLimit } from '#node/gateway/task_limit'

test.group('A limit of tasks', () => {
  test('a limit lets no more run at once, and the others in order', async ({ assert }) => {
    const limit = new TaskLimit(2)
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
    const started: number[] = []
    const runs = ends.map(({ promise }, index) =>
      limit.run(() => {
        started.push(index)
        return promise
      })
    )
    assert.deepEqual(started, [0, 1])
    ends[1]!.reject(new Error('failed'))
    await assert.rejects(() => runs[1]!, 'failed')
    assert.deepEqual(started, [0, 1, 2])
    ends.forEach(({ resolve }) => resolve())
    await Promise.allSettled(runs)
    assert.deepEqual(started, [0, 1, 2, 3])
  })
})
