import { setTimeout as delay } from 'node:timers/promises'

import type { Introspection } from '#auth/provider'
import type { RedisConnection } from '#signals/redis'
import { clock } from '#kernel/clock'

/** While Redis is away each process asks the provider itself, and looks for Redis again after this. */
const REDIS_RETRY_MS = 5_000
const POLL_MS = 40
/** The process that asks first has this long before others do not wait any more. */
const MAX_WAIT_MS = 1_000
const LOCK_MS = 4_000
const CLOCK_TOLERANCE_MS = 5_000

/** What a provider said of a token, and when it was asked (milliseconds since 1970). */
export interface TimedIntrospection {
  readonly introspection: Introspection | undefined
  readonly askedAt: number
}

/** Shares what a provider says of tokens between processes that ask about the same ones. */
export interface IntrospectionCache {
  /** What any process was told, where that is not older than `maxAgeMs`; else what `ask` answers now. */
  get(
    token: string,
    maxAgeMs: number,
    introspect: () => Promise<TimedIntrospection>
  ): Promise<TimedIntrospection>
}

/** Every program that reaches Redis can write there: only what was sealed by us, for this one token, is believed. */
export interface Seal {
  seal(value: unknown, purpose: string): string
  /** Null for anything that was not sealed for this purpose. */
  unseal(sealed: string, purpose: string): unknown
}

interface SharedIntrospectionsOptions {
  redis: RedisConnection
  seal: Seal
  /** For how long what was told is kept: of a good token, and of a refused one. */
  trustMs?: number
  distrustMs?: number
}

/**
 * What a provider said of tokens, kept in Redis for all processes of an installation under the hash of the token. One
 * process asks while the others wait for it. Without Redis each process asks.
 */
export class SharedIntrospections implements IntrospectionCache {
  readonly #options: Required<SharedIntrospectionsOptions>
  #awayUntil = 0

  constructor(options: SharedIntrospectionsOptions) {
    this.#options = { trustMs: 60_000, distrustMs: 5_000, ...options }
  }

  /** `token` is the hash of one; it never leaves the process in another form. */
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

  /** The process that asked before may have written the answer since it was looked for. */
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

/** What was sealed long ago may have been put back by another program. */
function isYounger({ askedAt }: TimedIntrospection, maxAgeMs: number): boolean {
  const age = clock.now() - askedAt
  return age < maxAgeMs && age > -CLOCK_TOLERANCE_MS
}

/** A token without an end of its own has an endless one, which JSON does not know. */
function withEnd({ introspection, askedAt }: TimedIntrospection): TimedIntrospection {
  const exp = introspection?.exp ?? Number.POSITIVE_INFINITY
  return { introspection: introspection && { ...introspection, exp }, askedAt }
}

const resultKey = (token: string) => `hub:introspection:${token}`
const lockKey = (token: string) => `hub:introspection:asking:${token}`
