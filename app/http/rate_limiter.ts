import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

import type { Actor } from '#kernel/actor'
import type { RedisConnection } from '#signals/redis'

const WINDOW_SECONDS = 60

/** Requests per minute by kind of caller; 0 disables the limit. */
export interface RateLimits {
  anonymous: number
  user: number
  client: number
}

export interface Allowance {
  limit: number
  remaining: number
  resetSeconds: number
  exceeded: boolean
}

/**
 * Counts requests per minute and caller: by identity if authenticated, otherwise by address. With Redis all processes
 * share the counts; while Redis is unavailable each counts on its own.
 */
export class RateLimiter {
  readonly #anonymous
  readonly #user
  readonly #client

  constructor(limits: RateLimits, redis?: RedisConnection) {
    this.#anonymous = counter('anonymous', limits.anonymous, redis)
    this.#user = counter('user', limits.user, redis)
    this.#client = counter('client', limits.client, redis)
  }

  /** Whether a limit applies to the caller. */
  applies(actor: Actor | undefined): boolean {
    return this.#limiterOf(actor) !== undefined
  }

  /** Counts a request with its weight. Undefined if no limit applies to the caller. */
  async count(
    actor: Actor | undefined,
    address: string,
    weight = 1
  ): Promise<Allowance | undefined> {
    const limiter = this.#limiterOf(actor)
    if (!limiter) {
      return undefined
    }
    try {
      const key = actor ? actor.id : address
      return allowance(limiter.points, await limiter.consume(key, weight), false)
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) {
        return allowance(limiter.points, refusal, true)
      }
      throw refusal
    }
  }

  #limiterOf(actor: Actor | undefined): RateLimiterAbstract | undefined {
    if (!actor) {
      return this.#anonymous
    }
    if (actor.kind === 'user') {
      return this.#user
    }
    return actor.kind === 'robot' && actor.realmName === 'master' ? undefined : this.#client
  }
}

function counter(
  name: string,
  points: number,
  redis?: RedisConnection
): RateLimiterAbstract | undefined {
  if (points === 0) {
    return undefined
  }
  const options = { keyPrefix: `rate:${name}`, points, duration: WINDOW_SECONDS }
  const memory = new RateLimiterMemory(options)
  return redis
    ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory })
    : memory
}

function allowance(limit: number, result: RateLimiterRes, exceeded: boolean): Allowance {
  return {
    limit,
    remaining: Math.max(0, result.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
    exceeded,
  }
}
