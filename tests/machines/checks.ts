import type { Finding } from '#tests/drills/report'
import {
  changes,
  events,
  messages,
  trail,
  uploads,
  type Evidence,
} from '#tests/drills/upgrade/findings'
import type { Load } from '#tests/drills/upgrade/load'
import { until } from './until.js'

interface DrillEvidence extends Evidence {
  readonly origin: string
  /** Events of nodes from before the load began to listen. */
  readonly formerEvents: ReadonlySet<string>
}

/** Compares what clients were answered with what there is, when nothing is written any more. */
export async function checks(evidence: DrillEvidence): Promise<Finding[]> {
  const { load, origin, formerEvents } = evidence
  return [
    await changes(evidence),
    messages(load),
    await uploads(load),
    await builds(load),
    await events(evidence, (id) => formerEvents.has(id)),
    await trail(origin),
    { what: 'clients were denied nothing', problems: denials(load) },
  ]
}

/** A build may be under way where its client got no answer to how far it is. */
async function builds({ parts: { builder } }: Load): Promise<Finding> {
  const { accepted } = builder
  const unfinished: string[] = []
  for (const id of accepted) {
    const status = await until('a build has ended', () => builder.endOf(id)).catch(
      () => 'not ended'
    )
    unfinished.push(...(status === 'executed' ? [] : [`${id}: ${status}`]))
  }
  return { what: `${accepted.length} accepted builds were executed`, problems: unfinished }
}

/** Answers that no fault of a server excuses. */
function denials({ parts: { writers, traffic } }: Load): string[] {
  return [...writers, traffic].flatMap(({ surprises }) => surprises)
}

/** The events that a stream which begins now is too late for. */
export async function eventsSoFar({ journal }: Pick<Evidence, 'journal'>): Promise<Set<string>> {
  const { rows } = await journal.pool.query<{ id: string }>(
    `select id from events where ref_type = 'node'`
  )
  return new Set(rows.map(({ id }) => id))
}
