import { setImmediate as turn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { PartBudget } from '#storage/objects/s3/part_budget'
import { failureOf } from '#tests/helpers/storage/object_store_suite'
import { withManualTimers } from '#tests/helpers/manual_timers'

const never = new AbortController().signal

test.group('Memory for parts', () => {
  test('memory is acquired at once while it is available, and waited for otherwise', async ({
    assert,
  }) => {
    const budget = new PartBudget(100)
    const [a, b, c] = [{}, {}, {}]
    assert.isTrue(budget.tryAcquire(a, 60))
    assert.isTrue(budget.tryAcquire(b, 40))
    assert.isFalse(budget.tryAcquire(c, 1))
    await budget.acquire(a, 10, never)
    const served: string[] = []
    const waiting = [
      budget.acquire(b, 30, never).then(() => served.push('b')),
      budget.acquire(c, 20, never).then(() => served.push('c')),
    ]
    await turn()
    assert.deepEqual(served, [])
    budget.release(a, 70)
    await Promise.all(waiting)
    assert.deepEqual(served, ['b', 'c'])
  })

  test('one upload may overdraw, until it has sent its part', async ({ assert }) => {
    const budget = new PartBudget(100)
    const [a, b] = [{}, {}]
    budget.tryAcquire(a, 100)
    await budget.acquire(a, 10, never)
    assert.isTrue(budget.isOverdrawn)
    assert.isTrue(budget.tryAcquire(a, 10))
    assert.isFalse(budget.tryAcquire(b, 10))
    budget.release(a, 120)
    assert.isFalse(budget.isOverdrawn)
    assert.isTrue(budget.tryAcquire(b, 100))
    assert.isFalse(budget.tryAcquire(a, 1))
  })

  test('stalled uploads with memory do not block others for long', async ({ assert }) => {
    const budget = new PartBudget(100)
    const uploads = [{}, {}, {}, {}]
    budget.tryAcquire(uploads[0]!, 100)
    await withManualTimers(async (pass) => {
      let served = 0
      uploads.forEach((upload) => void budget.acquire(upload, 10, never).then(() => served++))
      for (let passedMs = 0; passedMs < 2_000; passedMs += 50) {
        await pass(50)
      }
      assert.equal(served, uploads.length)
    })
  })

  test('a caller that stops waiting lets the next one through', async ({ assert }) => {
    const budget = new PartBudget(100)
    const [a, b, c] = [{}, {}, {}]
    budget.tryAcquire(a, 95)
    await budget.acquire(a, 10, never)
    budget.release({}, 10)
    const abort = new AbortController()
    const refused = failureOf(budget.acquire(b, 50, abort.signal))
    const served = budget.acquire(c, 5, never)
    abort.abort(new Error('Enough'))
    assert.equal((await refused)?.message, 'Enough')
    await served
    assert.isFalse(budget.isOverdrawn)
  })

  test('a cancelled upload acquires nothing', async ({ assert }) => {
    const budget = new PartBudget(100)
    const failure = await failureOf(
      budget.acquire({}, 10, AbortSignal.abort(new Error('Too late')))
    )
    assert.equal(failure?.message, 'Too late')
    assert.isTrue(budget.tryAcquire({}, 100))
  })
})
