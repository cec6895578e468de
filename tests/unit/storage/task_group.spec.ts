import { setImmediate as turn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { TaskGroup } from '#storage/uploads/task_group'
import { failureOf } from '#tests/helpers/storage/object_store_suite'

const { signal } = new AbortController()

test.group('Task group', () => {
  test('a group ends when all has ended, and runs only so much at once', async ({ assert }) => {
    const group = new TaskGroup(3, signal)
    let running = 0
    let most = 0
    let ended = 0
    await group.run(async () => {
      for (let n = 0; n < 10; n++) {
        await group.waitForSlot()
        void group.start(async () => {
          most = Math.max(most, ++running)
          await turn()
          running--
          ended++
        })
      }
    })
    assert.deepEqual([most, ended], [3, 10])
  })

  test('aborts its signal with the first failure, and waits for the others', async ({ assert }) => {
    const group = new TaskGroup(3, signal)
    let isOtherOver = false
    const failure = await failureOf(
      group.run(async () => {
        void group.start(async () => {
          await turn()
          isOtherOver = true
          throw new Error('second')
        })
        await group.start(() => Promise.reject(new Error('first')))
        assert.equal(group.signal.reason?.message, 'first')
      })
    )
    assert.equal(failure?.message, 'first')
    assert.isTrue(isOtherOver)
  })

  test('a group is aborted from outside, which is not a failure by itself', async ({ assert }) => {
    const outside = new AbortController()
    const group = new TaskGroup(1, outside.signal)
    await group.run(async () => outside.abort())
    assert.isTrue(group.signal.aborted)
  })
})
