import { setTimeout as delay } from 'node:timers/promises'

import type { Introspection } from '#auth/provider'
import type { RedisConnection } from '#signals/redis'
import { clock } from '#kernel/clock'

/** While Redis is unavailable, each process queries the provider itself and retries Redis after this time. */
const REDIS_RETRY_MS = 5_000
const POLL_MS = 40
/** How long other processes wait for the one that queries the provider. */
const MAX_WAIT_MS = 1_000
const LOCK_MS = 4_000
const CLOCK_TOLERANCE_MS = 5_000

/** An introspection result and the time of its request (milliseconds since 1970). */
export interface TimedIntrospection {
  readonly introspection: Introspection | undefined
  readonly askedAt: number
}

/** Shares introspection results between processes. */
export interface IntrospectionCache {
  /** The result of any process that is younger than `maxAgeMs`, or else that of `introspect`. */
  get(
    token: string,
    maxAgeMs: number,
    introspect: () => Promise<TimedIntrospection>
  ): Promise<TimedIntrospection>
}

/** Any program with access to Redis can write there, so values are sealed for a single token. */
interface Seal {
  seal(value: unknown, purpose: string): string
  /** Null if the value was not sealed for this purpose. */
  unseal(sealed: string, purpose: string): unknown
}

interface SharedIntrospectionsOptions {
  redis: RedisConnection
  seal: Seal
  /** How long results are cached, for active and inactive tokens. */
  trustMs?: number
  distrustMs?: number
}

/**
 * Introspection results in Redis, shared by all processes of an installation, under the hash of the token. One process
 * queries the provider while the others wait. Without Redis each process queries it.
 */
export class SharedIntrospections implements IntrospectionCache {
  readonly #options: Required<SharedIntrospectionsOptions>
  #awayUntil = 0

  constructor(options: SharedIntrospectionsOptions) {
    this.#options = { trustMs: 60_000, distrustMs: 5_000, ...options }
  }

  /** `token` is the hash of a token, which never leaves the process in another form. */
  async get(
    token: string,
    maxAgeMs: number,
    introspect: () => Promise<TimedIntrospection>
  ): Promise<TimedIntrospection> {
    const deadline = performance.now() + MAX_WAIT_MS
    while (clock.now() >= this.#awayUntil && performance.now() < deadline) {
      const result = await this.#read(token, maxAgeMs)
      if (result) {
        return result
      }
      if (await this.#acquireLock(token)) {
        return this.#introspectLocked(token, maxAgeMs, introspect)
      }
      await delay(POLL_MS)
    }
    return introspect()
  }

  /** Another process may have stored the result before the lock was acquired. */
  async #introspectLocked(
    token: string,
    maxAgeMs: number,
    introspect: () => Promise<TimedIntrospection>
  ): Promise<TimedIntrospection> {
    try {
      const result = await this.#read(token, maxAgeMs)
      return result ?? (await this.#store(token, await introspect()))
    } finally {
      await this.#attempt(() => this.#options.redis.del(lockKey(token)))
    }
  }

  async #read(token: string, maxAgeMs: number): Promise<TimedIntrospection | undefined> {
    const { redis, seal } = this.#options
    const sealed = await this.#attempt(() => redis.get(resultKey(token)))
    const result = sealed && (seal.unseal(sealed, resultKey(token)) as TimedIntrospection | null)
    return result && isYounger(result, maxAgeMs) ? withEnd(result) : undefined
  }

  async #store(token: string, result: TimedIntrospection): Promise<TimedIntrospection> {
    const { redis, seal, trustMs, distrustMs } = this.#options
    const sealed = seal.seal(result, resultKey(token))
    const ttlMs = result.introspection ? trustMs : distrustMs
    await this.#attempt(() => redis.set(resultKey(token), sealed, 'PX', ttlMs))
    return result
  }

  async #acquireLock(token: string): Promise<boolean> {
    const { redis } = this.#options
    const set = await this.#attempt(() => redis.set(lockKey(token), '1', 'PX', LOCK_MS, 'NX'))
    return set === 'OK'
  }

  async #attempt<T>(command: () => Promise<T>): Promise<T | undefined> {
    try {
      return await command()
    } catch {
      this.#awayUntil = clock.now() + REDIS_RETRY_MS
      return undefined
    }
  }
}

/** Checks the age, since another program may have restored an old value. */
function isYounger({ askedAt }: TimedIntrospection, maxAgeMs: number): boolean {
  const age = clock.now() - askedAt
  return age < maxAgeMs && age > -CLOCK_TOLERANCE_MS
}

/** A token without an expiry has an infinite one, which JSON cannot represent. */
function withEnd({ introspection, askedAt }: TimedIntrospection): TimedIntrospection {
  const exp = introspection?.exp ?? Number.POSITIVE_INFINITY
  return { introspection: introspection && { ...introspection, exp }, askedAt }
}

const resultKey = (token: string) => `hub:introspection:${token}`
const lockKey = (token: string) => `hub:introspection:asking:${token}`
