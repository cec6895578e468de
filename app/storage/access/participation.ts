import app from '@adonisjs/core/services/app'
import { LRUCache } from 'lru-cache'

import { clock } from '#kernel/clock'

/** As verdicts about tokens: what is granted is believed longer than what is refused. */
const GRANTS_KEPT_MS = 60_000
const REFUSALS_KEPT_MS = 5_000
const CLIENTS = 1_000

interface Answer {
  readonly askedAt: number
  readonly analyses: Promise<ReadonlySet<string>>
}

const answers = new LRUCache<string, Answer>({ max: CLIENTS })

/** Whether a node takes part in an analysis that logs in as this client. One that is let out is known a minute later. */
export async function takesPart(clientId: string, analysisId: string): Promise<boolean> {
  const granted = await analysesKnown(clientId, GRANTS_KEPT_MS)
  if (granted.has(analysisId)) {
    return true
  }
  const latest = await analysesOf(clientId)
  return latest.has(analysisId)
}

/** The analyses in which a node takes part that logs in as this client, as core knew them some seconds ago. */
export function analysesOf(clientId: string): Promise<ReadonlySet<string>> {
  return analysesKnown(clientId, REFUSALS_KEPT_MS)
}

/** Where core cannot be asked anew, what it answered before is kept for as long as it is good. */
function analysesKnown(clientId: string, keptMs: number): Promise<ReadonlySet<string>> {
  const known = answers.get(clientId)
  if (known && clock.now() < known.askedAt + keptMs) {
    return known.analyses
  }
  const answer = { askedAt: clock.now(), analyses: ask(clientId) }
  answers.set(clientId, answer)
  answer.analyses.catch(() => {
    if (answers.get(clientId) === answer) {
      answers.delete(clientId)
      if (known) {
        answers.set(clientId, known)
      }
    }
  })
  return answer.analyses
}

async function ask(clientId: string): Promise<ReadonlySet<string>> {
  const participations = await app.container.make('participations')
  return participations(clientId)
}
