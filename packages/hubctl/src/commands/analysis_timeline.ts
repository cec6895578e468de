import type { Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import { nodesAndClientsOfAnalysis } from '#hubctl/kinds/nodes_of_analysis'
import { ANALYSES } from '#hubctl/kinds/record_collections'
import { cellOf } from '#hubctl/output/cell'
import type { Fields } from '#hubctl/platform/pages'
import { reporterNote, type Reporter } from './reporter_note.js'

interface TimelineEntry extends Fields {
  readonly time: string
  readonly source: string
  readonly name: string
  readonly actor?: {
    readonly type: string
    readonly id: string | null
    readonly name: string | null
  }
  readonly reportedBy?: Reporter
  /** The id of the node. */
  readonly node?: string
  readonly message?: string
  readonly data?: {
    readonly value?: unknown
    readonly diff?: Readonly<Record<string, { readonly next: unknown }>>
  }
}

interface TimelinePage {
  readonly data: readonly TimelineEntry[]
  readonly meta: { readonly next: string | null }
}

/** Shows the timeline of an analysis, reading as many pages as the limit needs. */
export async function showTimeline(
  invocation: Invocation<{ limit: number }>,
  idOrName: string
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id } = await findRecord(api, ANALYSES, idOrName)
  const path = `${pathOf(ANALYSES, id)}/timeline`
  const entries: TimelineEntry[] = []
  let cursor: string | null = null
  do {
    const query: URLSearchParams = new URLSearchParams(cursor === null ? {} : { cursor })
    const page: TimelinePage = await api.read(ANALYSES.service, path, { query })
    entries.push(...page.data)
    cursor = page.meta.next
  } while (cursor !== null && entries.length < options.limit)
  const wanted = entries.slice(0, options.limit)
  const nodes = await nodesAndClientsOfAnalysis(api, id)
  output.records(output.isTable ? wanted.map((entry) => rowOf(entry, nodes)) : wanted, {
    kind: 'entry',
    columns: ['time', 'source', 'node', 'actor', 'what'],
    nothing: 'There are no entries yet.',
  })
}

function rowOf(entry: TimelineEntry, nodes: ReadonlyMap<string, string>): Fields {
  const { time, source, name, node } = entry
  const detail = detailOf(entry)
  return {
    time,
    source,
    node: nodes.get(node ?? '') ?? node,
    actor: actorOf(entry, nodes),
    what: detail ? `${name}: ${detail}` : name,
  }
}

/** Names the actor, a node by its own name, and the reporter of what the hub did not record itself. */
function actorOf(
  { actor, reportedBy }: TimelineEntry,
  nodes: ReadonlyMap<string, string>
): string | undefined {
  const named = nodes.get(actor?.id ?? '') ?? actor?.name ?? actor?.type
  const note = reporterNote(reportedBy)
  return note === undefined ? named : `${named ?? ''} ${note}`.trim()
}

/** The log message, the new status, or the changes of an event. */
function detailOf({ message, data }: TimelineEntry): string | undefined {
  if (message !== undefined) {
    return message
  }
  if (data?.value !== undefined) {
    return cellOf(data.value)
  }
  const changes = Object.entries(data?.diff ?? {})
  return changes.map(([key, { next }]) => `${key}: ${cellOf(next)}`).join(', ')
}
