import { hash } from 'node:crypto'

import { LRUCache } from 'lru-cache'

import type { RedisConnection } from '#signals/redis'
import { ATTEMPT_SECONDS, type SignInAttempt } from './attempts.js'

/** Whoever pushes one out starts more new attempts than it would save. */
const MAX_ATTEMPTS = 100_000

/**
 * The attempts that were used, for as long as their cookies last. A browser may send the cookie of one again, so it
 * does not tell. With Redis all processes know them; while Redis is unavailable each knows its own.
 */
export class UsedAttempts {
  readonly #redis: RedisConnection | undefined
  readonly #own = new LRUCache<string, true>({ max: MAX_ATTEMPTS, ttl: ATTEMPT_SECONDS * 1_000 })

  constructor(redis: RedisConnection | undefined) {
    this.#redis = redis
  }

  /** Uses an attempt. False if it was used before. */
  async use({ state }: Pick<SignInAttempt, 'state'>): Promise<boolean> {
    const key = `hub:console:attempt:${hash('sha256', state, 'base64url')}`
    if (this.#own.has(key)) {
      return false
    }
    this.#own.set(key, true)
    try {
      const answer = await this.#redis?.set(key, '', 'EX', ATTEMPT_SECONDS, 'NX')
      return answer !== null
    } catch {
      return true
    }
  }
}
