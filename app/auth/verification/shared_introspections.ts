import { setTimeout as delay } from 'node:timers/promises'

import type { Introspection } from '#auth/provider'
import type { RedisConnection } from '#signals/redis'
import { clock } from '#kernel/clock'

/** While Redis is away each process asks the provider itself, and looks for Redis again after this. */
const AWAY_MS = 5_000
const LOOK_EVERY_MS = 40
/** The process that asks first has this long before others do not wait any more. */
const WAIT_MS = 1_000
const ASKING_MS = 4_000
const CLOCKS_DIFFER_BY_MS = 5_000

/** What a provider said of a token, and when it was asked (milliseconds since 1970). */
export interface Told {
  readonly introspection: Introspection | undefined
  readonly askedAt: number
}

/** Shares what a provider says of tokens between processes that ask about the same ones. */
export interface Introspections {
  /** What any process was told, where that is not older than `maxAgeMs`; else what `ask` answers now. */
  of(token: string, maxAgeMs: number, ask: () => Promise<Told>): Promise<Told>
}

/** Every program that reaches Redis can write there: only what was sealed by us, for this one token, is believed. */
export interface Seal {
  seal(value: unknown, purpose: string): string
  /** Null for anything that was not sealed for this purpose. */
  unseal(sealed: string, purpose: string): unknown
}

interface Options {
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
export class SharedIntrospections implements Introspections {
  readonly #options: Required<Options>
  #awayUntil = 0

  constructor(options: Options) {
    this.#options = { trustMs: 60_000, distrustMs: 5_000, ...options }
  }

  /** `token` is the hash of one; it never leaves the process in another form. */
  async of(token: string, maxAgeMs: number, ask: () => Promise<Told>): Promise<Told> {
    const deadline = performance.now() + WAIT_MS
    while (clock.now() >= this.#awayUntil && performance.now() < deadline) {
      const told = await this.#read(token, maxAgeMs)
      if (told) {
        return told
      }
      if (await this.#mayAsk(token)) {
        return this.#asked(token, maxAgeMs, ask)
      }
      await delay(LOOK_EVERY_MS)
    }
    return ask()
  }

  /** The process that asked before may have written the answer since it was looked for. */
  async #asked(token: string, maxAgeMs: number, ask: () => Promise<Told>): Promise<Told> {
    try {
      const told = await this.#read(token, maxAgeMs)
      return told ?? (await this.#written(token, await ask()))
    } finally {
      await this.#tried(() => this.#options.redis.del(asking(token)))
    }
  }

  async #read(token: string, maxAgeMs: number): Promise<Told | undefined> {
    const { redis, seal } = this.#options
    const sealed = await this.#tried(() => redis.get(kept(token)))
    const told = sealed && (seal.unseal(sealed, kept(token)) as Told | null)
    return told && isYounger(told, maxAgeMs) ? withEnd(told) : undefined
  }

  async #written(token: string, told: Told): Promise<Told> {
    const { redis, seal, trustMs, distrustMs } = this.#options
    const sealed = seal.seal(told, kept(token))
    const lastsMs = told.introspection ? trustMs : distrustMs
    await this.#tried(() => redis.set(kept(token), sealed, 'PX', lastsMs))
    return told
  }

  async #mayAsk(token: string): Promise<boolean> {
    const { redis } = this.#options
    const set = await this.#tried(() => redis.set(asking(token), '1', 'PX', ASKING_MS, 'NX'))
    return set === 'OK'
  }

  async #tried<T>(command: () => Promise<T>): Promise<T | undefined> {
    try {
      return await command()
    } catch {
      this.#awayUntil = clock.now() + AWAY_MS
      return undefined
    }
  }
}

/** What was sealed long ago may have been put back by another program. */
function isYounger({ askedAt }: Told, maxAgeMs: number): boolean {
  const age = clock.now() - askedAt
  return age < maxAgeMs && age > -CLOCKS_DIFFER_BY_MS
}

/** A token without an end of its own has an endless one, which JSON does not know. */
function withEnd({ introspection, askedAt }: Told): Told {
  const exp = introspection?.exp ?? Number.POSITIVE_INFINITY
  return { introspection: introspection && { ...introspection, exp }, askedAt }
}

const kept = (token: string) => `hub:introspection:${token}`
const asking = (token: string) => `hub:introspection:asking:${token}`
