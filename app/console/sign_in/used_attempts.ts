import { hash } from 'node:crypto'

import { LRUCache } from 'lru-cache'

import type { RedisConnection } from '#signals/redis'
import { ATTEMPT_SECONDS, type SignInAttempt } from './attempts.js'

/** The maximum number. An attacker who displaces an attempt has to start this many new ones. */
const MAX_ATTEMPTS = 100_000

/**
 * The used attempts, for the lifetime of their cookies: a browser may send such a cookie again. All processes share
 * them by Redis; while Redis is unavailable each process knows only its own.
 */
export class UsedAttempts {
  readonly #redis: RedisConnection | undefined
  readonly #own = new LRUCache<string, true>({ max: MAX_ATTEMPTS, ttl: ATTEMPT_SECONDS * 1_000 })

  constructor(redis: RedisConnection | undefined) {
    this.#redis = redis
  }

  /** Marks an attempt as used. Returns false if it was used before. */
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
