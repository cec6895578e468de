import { LRUCache } from 'lru-cache'

import { clock } from '#kernel/clock'

export interface ExpiringCacheOptions {
  readonly size: number
  readonly ttlMs: number
}

/** A cache whose entries expire. `start` of an entry is when its value was requested (milliseconds since 1970). */
export const expiringCache = <Key extends {}, Value extends {}>({
  size,
  ttlMs,
}: ExpiringCacheOptions): LRUCache<Key, Value> =>
  new LRUCache({ max: size, ttl: ttlMs, ttlResolution: 0, perf: clock })
