import { test } from '@japa/runner'

import { readinessOf } from '#http/readiness'
import { clock, overrideClock } from '#kernel/clock'
import { Health } from '#observability/health'

test.group('The health of a process', () => {
  const refuses = async () => {
    throw new Error('it is away')
  }

  test('what is optional degrades it, and leaves it ready', async ({ assert }) => {
    const health = new Health()
    health.watch('database', async () => {})
    const forget = health.watchOptional('log store', refuses)
    assert.isEmpty(await health.failing())
    const degraded = await health.degraded()
    assert.deepEqual(readinessOf(degraded), {
      status: 'degraded',
      degraded: [{ name: 'log store', reason: 'it is away' }],
    })
    forget()
    assert.deepEqual(readinessOf(await health.degraded()), { status: 'ok' })
  })

  test('optional data is not requested for each caller, and no caller waits for it twice', async ({
    assert,
    cleanup,
  }) => {
    const health = new Health()
    const startedAt = clock.now()
    let now = startedAt
    cleanup(overrideClock({ now: () => now }))
    let requests = 0
    const waiting = Promise.withResolvers<void>()
    health.watchOptional('object store', () => {
      requests++
      return requests === 1 ? refuses() : waiting.promise
    })
    const both = await Promise.all([health.degraded(), health.degraded()])
    assert.deepEqual(both[0], both[1])
    now = startedAt + 1_999
    await health.degraded()
    assert.equal(requests, 1)
    now = startedAt + 2_000
    assert.lengthOf(await health.degraded(), 1)
    assert.lengthOf(await health.degraded(), 1)
    assert.equal(requests, 2)
    waiting.resolve()
  })
})
