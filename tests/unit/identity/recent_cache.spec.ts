import { test } from '@japa/runner'

import { RecentCache } from '#auth/verification/recent_cache'

test.group('Recent entries', () => {
  test('are found, the newest of each', ({ assert }) => {
    const recent = new RecentCache<string, number>(2)
    recent.set('a', 1)
    recent.set('a', 2)
    assert.equal(recent.get('a'), 2)
    assert.isUndefined(recent.get('b'))
  })

  test('stay while they are read', ({ assert }) => {
    const recent = new RecentCache<string, number>(3)
    recent.set('wanted', 0)
    for (let n = 0; n < 100; n++) {
      recent.set(`other-${n}`, n)
      assert.equal(recent.get('wanted'), 0)
    }
  })

  test('are evicted when they are not read, within the limit', ({ assert }) => {
    const recent = new RecentCache<number, number>(50)
    const found = () =>
      Array.from({ length: 1_000 }, (_, n) => n).filter((n) => recent.get(n) !== undefined)
    for (let n = 0; n < 1_000; n++) {
      recent.set(n, n)
    }
    const kept = found()
    assert.isAtLeast(kept.length, 50)
    assert.isAtMost(kept.length, 100)
    assert.include(kept, 999)
  })

  test('of an older generation do not come back over newer ones', ({ assert }) => {
    const recent = new RecentCache<string, string>(2)
    recent.set('a', 'old')
    recent.set('b', '')
    recent.set('c', '')
    recent.set('a', 'new')
    recent.set('d', '')
    assert.equal(recent.get('a'), 'new')
  })

  test('cost the same however often one of them is read', ({ assert }) => {
    const recent = new RecentCache<number, number>(10_000)
    for (let n = 0; n < 10_000; n++) {
      recent.set(n, n)
    }
    const startedAt = process.cpuUsage()
    for (let n = 0; n < 100_000; n++) {
      recent.get(5)
    }
    const { user } = process.cpuUsage(startedAt)
    assert.isBelow(user / 100_000, 5)
  }).retry(2)
})
