import { test } from '@japa/runner'

import type { Actor } from '#kernel/actor'
import { RateLimiter } from '#http/rate_limiter'

const LIMITS = { anonymous: 2, user: 3, client: 4 }

function actor(kind: Actor['kind'], id: string, realmName = 'other'): Actor {
  return {
    kind,
    id,
    realmName,
    name: null,
    realmId: null,
    clientId: null,
    permissions: new Set(),
    expiresAt: 0,
  }
}

test.group('Rate limiter', () => {
  test('the limiter counts an anonymous caller by address and says when to come back', async ({
    assert,
  }) => {
    const limiter = new RateLimiter(LIMITS)
    assert.containsSubset(await limiter.count(undefined, '192.0.2.1'), {
      limit: 2,
      remaining: 1,
      exceeded: false,
    })
    assert.containsSubset(await limiter.count(undefined, '192.0.2.1'), {
      remaining: 0,
      exceeded: false,
    })
    const refused = await limiter.count(undefined, '192.0.2.1')
    assert.containsSubset(refused, { remaining: 0, exceeded: true })
    assert.isAtMost(refused!.resetSeconds, 60)
    assert.containsSubset(await limiter.count(undefined, '192.0.2.2'), { remaining: 1 })
  })

  test('the limiter counts an identity by itself, wherever it calls from', async ({ assert }) => {
    const limiter = new RateLimiter(LIMITS)
    const ann = actor('user', 'ann')
    await limiter.count(ann, '192.0.2.1')
    assert.containsSubset(await limiter.count(ann, '192.0.2.2'), { limit: 3, remaining: 1 })
    assert.containsSubset(await limiter.count(actor('user', 'bob'), '192.0.2.1'), { remaining: 2 })
    assert.containsSubset(await limiter.count(actor('client', 'node'), '192.0.2.1'), {
      limit: 4,
      remaining: 3,
    })
  })

  test('the platform itself is not limited, and 0 switches a limit off', async ({ assert }) => {
    const limiter = new RateLimiter({ ...LIMITS, user: 0 })
    assert.isUndefined(await limiter.count(actor('robot', 'system', 'master'), '192.0.2.1'))
    assert.isUndefined(await limiter.count(actor('user', 'ann'), '192.0.2.1'))
    assert.isDefined(await limiter.count(actor('robot', 'x'), '192.0.2.1'))
  })
})
