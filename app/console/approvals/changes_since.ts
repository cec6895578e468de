import type { EventRow } from '#console/audit/event_row'
import type { Page } from '#console/page'
import { argumentText, type Content } from './content.js'
import { diffLines, type DiffLine } from './diff_lines.js'

const LIMIT = 50

type AuditEvent = Pick<EventRow, 'createdAt' | 'actorName' | 'data'>

interface AnalysisFile {
  readonly path: string
  readonly createdAt: string
}

/** What changed in the content of an analysis since a node approved it last. */
export interface ChangesSince {
  readonly approvedAt: string
  readonly by: string | null
  readonly lines: readonly DiffLine[]
  /** The parts that the hub noticed a change of, also if their earlier content is unknown. */
  readonly parts: readonly string[]
}

/**
 * The changes since the last approval, from the audit trail. Undefined if there was none, or if the user may not read
 * the trail.
 */
export async function changesSince(
  page: Page,
  { partId, analysisId, content }: { partId: string; analysisId: string; content: Content }
): Promise<ChangesSince | undefined> {
  const decisions = await eventsOf(page, partId)
  const approval = decisions.find((event) => diffOf(event).approvalStatus?.next === 'approved')
  if (!approval) {
    return undefined
  }
  const [changes, files] = await Promise.all([
    eventsOf(page, analysisId),
    filesSince(page, analysisId, approval.createdAt),
  ])
  const later = changes.filter(({ createdAt }) => createdAt > approval.createdAt)
  const former = (column: string): unknown =>
    later.findLast((event) => column in diffOf(event))?.data?.diff?.[column]?.previous
  const since = decisions.filter(({ createdAt }) => createdAt > approval.createdAt)
  return {
    approvedAt: approval.createdAt,
    by: approval.actorName,
    parts: since.flatMap((event) => String(diffOf(event).contentChanged?.next ?? '').split(', ')),
    lines: [
      ...(await imageLines(page, former('masterImageId'), content)),
      ...argumentLines(former('imageCommandArguments'), content),
      ...files.map(({ path }): DiffLine => ({ kind: 'added', text: path })),
    ],
  }
}

/** Newest first. */
async function eventsOf(page: Page, refId: string): Promise<readonly AuditEvent[]> {
  const query = { 'filter[refId]': refId, 'sort': '-createdAt', 'page[limit]': LIMIT }
  const listing = await page.hub.optional(page.hub.list<AuditEvent>('telemetry', '/events', query))
  return listing?.data ?? []
}

const diffOf = ({ data }: AuditEvent) => data?.diff ?? {}

/** Files are never changed, so those that were added since are all that is new. */
async function filesSince(page: Page, analysisId: string, time: string): Promise<AnalysisFile[]> {
  const query = { 'filter[analysisId]': analysisId, 'sort': '-createdAt', 'page[limit]': LIMIT }
  const listing = await page.hub.optional(
    page.hub.list<AnalysisFile>('core', '/analysis-bucket-files', query)
  )
  return listing?.data.filter(({ createdAt }) => createdAt > time) ?? []
}

async function imageLines(page: Page, formerId: unknown, content: Content): Promise<DiffLine[]> {
  if (typeof formerId !== 'string' || formerId === content.imageId) {
    return []
  }
  const former = await page.hub.optional(
    page.hub.read<{ data: { virtualPath: string } }>('core', `/master-images/${formerId}`)
  )
  return diffLines(former?.data.virtualPath ?? formerId, content.image ?? '')
}

function argumentLines(former: unknown, content: Content): DiffLine[] {
  if (former === undefined) {
    return []
  }
  const values: unknown = typeof former === 'string' ? JSON.parse(former) : former
  return diffLines(argumentText(values), content.arguments)
}
