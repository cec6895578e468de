import app from '@adonisjs/core/services/app'
import { LRUCache } from 'lru-cache'

import { clock } from '#kernel/clock'

const KEPT_MS = 60_000
const CLIENTS = 1_000

interface Answer {
  readonly until: number
  readonly analyses: Promise<ReadonlySet<string>>
}

const answers = new LRUCache<string, Answer>({ max: CLIENTS })

/**
 * The analyses in which a node takes part that logs in as this client, as core knows them. It is asked once a minute at most, so
 * that a client that is let in or out is known a minute later.
 */
export function analysesOf(clientId: string): Promise<ReadonlySet<string>> {
  const known = answers.get(clientId)
  if (known && clock.now() < known.until) {
    return known.analyses
  }
  const analyses = ask(clientId)
  const answer = { until: clock.now() + KEPT_MS, analyses }
  answers.set(clientId, answer)
  analyses.catch(() => answers.set(clientId, { ...answer, until: 0 }))
  return analyses
}

async function ask(clientId: string): Promise<ReadonlySet<string>> {
  const participations = await app.container.make('participations')
  return participations(clientId)
}
