import { inject } from '@adonisjs/core'
import { LRUCache } from 'lru-cache'

import { clock } from '#kernel/clock'
import { Participations } from './participations.js'

/** As with tokens, grants are cached longer than denials. */
const GRANT_TTL_MS = 60_000
const DENIAL_TTL_MS = 5_000
const MAX_CLIENTS = 1_000

interface CachedAnalyses {
  readonly fetchedAt: number
  readonly analyses: Promise<ReadonlySet<string>>
}

/** The analyses in which the nodes of clients participate, as core reported them lately. */
@inject()
export class CachedParticipations {
  readonly #participations: Participations
  readonly #cache = new LRUCache<string, CachedAnalyses>({ max: MAX_CLIENTS })

  constructor(participations: Participations) {
    this.#participations = participations
  }

  /** Whether the node of a client participates in an analysis. A removal takes effect within a minute. */
  async includes(clientId: string, analysisId: string): Promise<boolean> {
    const granted = await this.#cached(clientId, GRANT_TTL_MS)
    if (granted.has(analysisId)) {
      return true
    }
    const latest = await this.analysesOf(clientId)
    return latest.has(analysisId)
  }

  /** The analyses in which the node of a client participates, at most some seconds old. */
  analysesOf(clientId: string): Promise<ReadonlySet<string>> {
    return this.#cached(clientId, DENIAL_TTL_MS)
  }

  /** If core is unavailable, the previous result stays valid until it expires. */
  #cached(clientId: string, maxAgeMs: number): Promise<ReadonlySet<string>> {
    const previous = this.#cache.get(clientId)
    if (previous && clock.now() < previous.fetchedAt + maxAgeMs) {
      return previous.analyses
    }
    const entry = { fetchedAt: clock.now(), analyses: this.#participations.analysesOf(clientId) }
    this.#cache.set(clientId, entry)
    entry.analyses.catch(() => {
      if (this.#cache.get(clientId) === entry) {
        this.#cache.delete(clientId)
        if (previous) {
          this.#cache.set(clientId, previous)
        }
      }
    })
    return entry.analyses
  }
}
