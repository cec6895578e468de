import { test } from '@japa/runner'

import { expiringCache } from '#auth/verification/expiring_cache'
import { overrideClock } from '#kernel/clock'

test.group('Expiring entries', () => {
  test('entries are found until their time is over', ({ assert, cleanup }) => {
    let now = 1_000
    cleanup(overrideClock({ now: () => now }))
    const cache = expiringCache<string, number>({ size: 10, ttlMs: 500 })
    cache.set('a', 1)
    now = 1_500
    assert.equal(cache.get('a'), 1)
    now = 1_501
    assert.isUndefined(cache.get('a'))
  })

  test('entries expire relative to the time of the request', ({ assert, cleanup }) => {
    cleanup(overrideClock({ now: () => 1_400 }))
    const cache = expiringCache<string, number>({ size: 10, ttlMs: 500 })
    cache.set('a', 1, { start: 1_000 })
    assert.equal(cache.get('a'), 1)
    cache.set('a', 2, { start: 899 })
    assert.isUndefined(cache.get('a'))
  })
})
