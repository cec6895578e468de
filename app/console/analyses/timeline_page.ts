import { changeText, type EventChange } from '#console/audit/event_row'
import { nameIn, nodeNames, type Names } from '#console/names'
import { addressWith } from '#console/lists'
import type { Page, View } from '#console/page'
import { readAnalysis } from './analysis_page.js'

interface TimelineEntry {
  readonly time: string
  readonly source: string
  readonly name: string
  readonly actor?: {
    readonly type: string
    readonly id: string | null
    readonly name: string | null
  }
  readonly reportedBy?: { readonly type: string; readonly id: string | null }
  readonly node?: string
  readonly message?: string
  readonly data?: {
    readonly value?: unknown
    readonly diff?: Readonly<Record<string, EventChange>>
  }
}

interface TimelinePage {
  readonly data: readonly TimelineEntry[]
  readonly meta: { readonly next: string | null }
}

const CURSOR = /^[\w-]{1,1024}$/

/** Shows the timeline of an analysis, newest first. */
export async function showTimeline(page: Page): Promise<View> {
  const id = page.uuid('id')
  const cursor = page.query.get('cursor') ?? ''
  const query = { cursor: CURSOR.test(cursor) ? cursor : undefined }
  const [analysis, timeline] = await Promise.all([
    readAnalysis(page, id),
    page.hub.read<TimelinePage>('core', `/analyses/${id}/timeline`, query),
  ])
  const nodes = await nodeNames(
    page,
    timeline.data.map(({ node }) => node)
  )
  const { next } = timeline.meta
  return page.view('analyses/timeline', {
    title: page.t('analyses.timeline.title', { name: analysis.displayName ?? analysis.name }),
    analysis,
    tab: 'timeline',
    entries: timeline.data.map((entry) => rowOf(page, entry, nodes)),
    isFirst: query.cursor === undefined,
    older:
      next === null
        ? undefined
        : page.url(addressWith(`/analyses/${id}/timeline`, { cursor: next })),
  })
}

function rowOf(page: Page, entry: TimelineEntry, nodes: Names) {
  const { time, source, name, node } = entry
  return {
    time,
    source: page.textOr(`analyses.timeline.sources.${source}`, source),
    name: source === 'log' ? name : page.textOr(`analyses.timeline.names.${name}`, name),
    node: node === undefined ? undefined : nameIn(nodes, node),
    actor: actorOf(page, entry),
    detail: detailOf(entry),
  }
}

/** The actor, and the reporter of entries that the hub did not record itself. */
function actorOf(page: Page, { actor, reportedBy }: TimelineEntry): string | undefined {
  const name = actor?.name ?? actor?.type
  if (!reportedBy?.id) {
    return name
  }
  const reporter = `${reportedBy.type} ${reportedBy.id}`
  return page.t('analyses.timeline.reported', { name: name ?? '', reporter }).trim()
}

/** The log message, the new status, or the changes of an event. */
function detailOf({ message, data }: TimelineEntry): string {
  if (message !== undefined) {
    return message
  }
  if (data?.value !== undefined) {
    return changeText(data.value)
  }
  return Object.entries(data?.diff ?? {})
    .map(([key, { next }]) => `${key}: ${changeText(next)}`)
    .join(', ')
}
