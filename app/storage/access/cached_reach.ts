import { inject } from '@adonisjs/core'
import { LRUCache } from 'lru-cache'

import { expiringCache } from '#auth/verification/expiring_cache'
import { clock } from '#kernel/clock'
import { AnalysisReach, type Reach, type ReachQuery } from './analysis_reach.js'

/** As with tokens, grants are cached longer than denials. */
const GRANT_TTL_MS = 60_000
const DENIAL_TTL_MS = 5_000
const MAX_CALLERS = 1_000
const MAX_BUCKETS = 10_000
/** How many denied subjects of a caller are remembered. */
const MAX_DENIED = 1_000

interface CachedEntry {
  readonly fetchedAt: number
  readonly reach: Promise<Reach>
  /** Subjects that were requested before the reach was fetched, so that it also answers for them. */
  readonly asked: Set<string>
}

/** The reach of callers, as core reported it lately. */
@inject()
export class CachedReach {
  readonly #source: AnalysisReach
  readonly #cache = new LRUCache<string, CachedEntry>({ max: MAX_CALLERS })
  readonly #types = expiringCache<string, readonly string[]>({
    size: MAX_BUCKETS,
    ttlMs: DENIAL_TTL_MS,
  })

  constructor(source: AnalysisReach) {
    this.#source = source
  }

  /** The reach of a caller, at most some seconds old. */
  latest(query: ReachQuery): Promise<Reach> {
    return this.#cached(query, DENIAL_TTL_MS)
  }

  /** What a caller is. It never changes. */
  async programOf(query: ReachQuery): Promise<Reach['program']> {
    const { program } = await this.#cached(query, GRANT_TTL_MS)
    return program
  }

  /**
   * Whether the reach of a caller satisfies a test. A grant is believed for a minute, a denial for some seconds, unless
   * the caller asks about this subject for the first time: it may have been created just now.
   */
  async grants(
    query: ReachQuery,
    subject: string,
    test: (reach: Reach) => boolean
  ): Promise<boolean> {
    const isGranted = test(await this.#cached(query, GRANT_TTL_MS, subject))
    return isGranted || test(await this.#cached(query, DENIAL_TTL_MS, subject))
  }

  async typesOf(bucketId: string): Promise<readonly string[]> {
    const requestedAt = clock.now()
    const known = this.#types.get(bucketId)
    if (known) {
      return known
    }
    const types = await this.#source.typesOf(bucketId)
    this.#types.set(bucketId, types, { start: requestedAt })
    return types
  }

  realmOf(analysisId: string): Promise<string | undefined> {
    return this.#source.realmOf(analysisId)
  }

  /** If core is unavailable, the previous result stays valid until it expires. */
  #cached(query: ReachQuery, maxAgeMs: number, subject?: string): Promise<Reach> {
    const key = `${query.kind}/${query.id}/${query.decidesFor ?? ''}`
    const previous = this.#cache.get(key)
    const isFirst =
      maxAgeMs === DENIAL_TTL_MS && subject !== undefined && !previous?.asked.has(subject)
    if (previous && !isFirst && clock.now() < previous.fetchedAt + maxAgeMs) {
      return previous.reach
    }
    const earlier = previous && previous.asked.size < MAX_DENIED ? previous.asked : []
    const entry: CachedEntry = {
      fetchedAt: clock.now(),
      reach: this.#source.of(query),
      asked: new Set([...earlier, ...(subject === undefined ? [] : [subject])]),
    }
    this.#cache.set(key, entry)
    entry.reach.catch(() => {
      if (this.#cache.get(key) === entry) {
        this.#cache.delete(key)
        if (previous) {
          this.#cache.set(key, previous)
        }
      }
    })
    return entry.reach
  }
}
