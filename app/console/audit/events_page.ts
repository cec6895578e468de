import { isOwnReport } from '#kernel/event_claims'
import type { Page, View } from '#console/page'
import { changesIn, type EventRow, type FoundEvents } from './event_row.js'
import { commandFor, filterPath, readFilter } from './event_filter.js'
import { pageOf, RECORD_KINDS } from './record_places.js'

/** The most frequent event names, as suggestions. */
const EVENT_NAMES = [
  'created',
  'updated',
  'deleted',
  'secretRead',
  'codeRead',
  'permissionRefused',
  'signInFailed',
] as const

const NOTHING: FoundEvents = { data: [], meta: { next: null } }

/** Lists events, the newest first. Filters are part of the URL, so that a result can be shared as a link. */
export async function showEvents(page: Page): Promise<View> {
  const filter = await readFilter(page)
  const { values } = filter
  const { data, meta } =
    filter.query === undefined
      ? NOTHING
      : await page.hub.read<FoundEvents>('telemetry', '/events/search', filter.query)
  return page.view('audit/events', {
    title: page.t('audit.title'),
    values,
    kinds: RECORD_KINDS,
    names: EVENT_NAMES,
    unknown: filter.unknown,
    sameName: filter.sameName,
    events: data.map(rowOf),
    isFiltered: Object.values(values).some((value) => value !== ''),
    isContinued: page.query.has('before'),
    newest: filterPath(values),
    next: meta.next === null ? undefined : filterPath(values, meta.next),
    ofActor: (id: string) => filterPath({ who: id }),
    command: commandFor(values),
  })
}

/** The row of an event in the list. */
function rowOf(event: EventRow) {
  return {
    ...event,
    isOwn: isOwnReport(event.reportedBy),
    changed: changesIn(event)
      .map(({ name }) => name)
      .join(', '),
    recordPage: pageOf(event.refType, event.refId),
    ofRecord:
      event.refId === null ? undefined : filterPath({ kind: event.refType, record: event.refId }),
  }
}
