import { clock } from '#kernel/clock'

import { RecentCache } from './recent_cache.js'

export interface ExpiringCacheOptions {
  readonly size: number
  readonly ttlMs: number
}

/** A `RecentCache` whose entries expire. */
export class ExpiringCache<Key, Value> {
  readonly #entries: RecentCache<Key, { readonly value: Value; readonly until: number }>
  readonly #ttlMs: number

  constructor({ size, ttlMs }: ExpiringCacheOptions) {
    this.#entries = new RecentCache(size)
    this.#ttlMs = ttlMs
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && clock.now() < entry.until ? entry.value : undefined
  }

  /** `from` is when the value was requested (milliseconds since 1970). */
  set(key: Key, value: Value, from = clock.now()): void {
    this.#entries.set(key, { value, until: from + this.#ttlMs })
  }
}
