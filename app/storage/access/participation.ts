import app from '@adonisjs/core/services/app'
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

const cache = new LRUCache<string, CachedAnalyses>({ max: MAX_CLIENTS })

/** Whether the node of a client participates in an analysis. A removal takes effect within a minute. */
export async function participatesIn(clientId: string, analysisId: string): Promise<boolean> {
  const granted = await cachedAnalyses(clientId, GRANT_TTL_MS)
  if (granted.has(analysisId)) {
    return true
  }
  const latest = await analysesOf(clientId)
  return latest.has(analysisId)
}

/** The analyses in which the node of a client participates, at most some seconds old. */
export function analysesOf(clientId: string): Promise<ReadonlySet<string>> {
  return cachedAnalyses(clientId, DENIAL_TTL_MS)
}

/** If core is unavailable, the previous result stays valid until it expires. */
function cachedAnalyses(clientId: string, maxAgeMs: number): Promise<ReadonlySet<string>> {
  const previous = cache.get(clientId)
  if (previous && clock.now() < previous.fetchedAt + maxAgeMs) {
    return previous.analyses
  }
  const entry = { fetchedAt: clock.now(), analyses: fetchAnalyses(clientId) }
  cache.set(clientId, entry)
  entry.analyses.catch(() => {
    if (cache.get(clientId) === entry) {
      cache.delete(clientId)
      if (previous) {
        cache.set(clientId, previous)
      }
    }
  })
  return entry.analyses
}

async function fetchAnalyses(clientId: string): Promise<ReadonlySet<string>> {
  const participations = await app.container.make(Participations)
  return participations.analysesOf(clientId)
}
