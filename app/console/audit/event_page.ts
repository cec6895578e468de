import type { Page, View } from '#console/page'
import { claimedAttributes, isOwnReport } from '#kernel/event_claims'
import { changesIn, type EventRow } from './event_row.js'
import { filterPath } from './event_filter.js'
import { pageOf } from './record_places.js'

/** Shows an event: its changes, its origin, and its reporter. */
export async function showEvent(page: Page): Promise<View> {
  const { data } = await page.hub.read<{ data: EventRow }>(
    'telemetry',
    `/events/${page.uuid('id')}`
  )
  const { actorId, refType, refId } = data
  return page.view('audit/event', {
    title: page.t('audit.event.title', { name: data.name, kind: data.refType }),
    crumbs: [{ path: '/audit', text: page.t('audit.title') }],
    event: data,
    changes: changesIn(data),
    isOwn: isOwnReport(data.reportedBy),
    claimed: new Set<string>(claimedAttributes(data)),
    recordPage: pageOf(refType, refId),
    ofRecord: refId === null ? undefined : filterPath({ kind: refType, record: refId }),
    ofActor: actorId === null ? undefined : filterPath({ who: actorId }),
    command: `hubctl api telemetry /events/${data.id}`,
  })
}
