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
  readonly former: Former
}

/** What there was before the load began; it was compared before. */
interface Former {
  /** Events of nodes. */
  readonly events: ReadonlySet<string>
  readonly nodes: ReadonlySet<string>
}

/** Compares what clients were answered with what there is, when nothing is written any more. */
export async function checks(evidence: DrillEvidence): Promise<Finding[]> {
  const { load, origin, former } = evidence
  return [
    await changes(evidence, (record) => former.nodes.has(record)),
    messages(load),
    await uploads(load),
    await builds(load),
    await events(evidence, (id) => former.events.has(id)),
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

/** What there is so far. */
export async function formerThings({ journal }: Pick<Evidence, 'journal'>): Promise<Former> {
  const { rows } = await journal.pool.query<{ id: string }>(
    `select id from events where ref_type = 'node'`
  )
  return {
    events: new Set(rows.map(({ id }) => id)),
    nodes: new Set((await journal.stored()).map(({ record }) => record)),
  }
}
