import type { RemoteSurface } from '#auth/remote_surface'
import { requestTelemetry, matchAll } from '#core/request_telemetry'
import { BadRequest } from '#kernel/failures'
import type { EventReader, AuditEvent } from './event_reader.js'

/** The largest page that telemetry returns. */
const PAGE_SIZE = 50

/** The position of an event in the list of a record, with its offset when it was read. */
interface EventPosition extends Pick<AuditEvent, 'createdAt' | 'id'> {
  readonly before: number
}

/** The audit trail of a telemetry that runs elsewhere. */
export function remoteEventReader(telemetry: RemoteSurface): EventReader {
  return {
    async read({ refType, refId, from = '', until, limit, cursor }) {
      const eventList = new EventList(telemetry, matchAll({ refType, refId }))
      const events: AuditEvent[] = []
      let last: EventPosition | undefined
      const start = cursor === undefined ? undefined : parseCursor(cursor)
      for await (const { event, before } of eventList.readAfter(start)) {
        if (event.createdAt < from) {
          break
        }
        if (until !== undefined && event.createdAt >= until) {
          continue
        }
        if (events.length === limit) {
          return { events, next: formatCursor(last!) }
        }
        events.push(event)
        last = { ...event, before }
      }
      return { events }
    },
  }
}

/**
 * The events about one record, newest first. Telemetry pages by offset, which shifts while events are added and
 * removed: the list searches for a position from its last offset.
 */
class EventList {
  readonly #telemetry: RemoteSurface
  readonly #filter: URLSearchParams

  constructor(telemetry: RemoteSurface, filter: URLSearchParams) {
    this.#telemetry = telemetry
    this.#filter = filter
  }

  async *readAfter(
    position: EventPosition | undefined
  ): AsyncGenerator<{ event: AuditEvent; before: number }> {
    let last = position
    while (true) {
      const { events, offset } = await this.#findPageAfter(last)
      const fresh = [...events.entries()].filter(([, event]) => isAfter(event, last))
      for (const [index, event] of fresh) {
        last = { ...event, before: offset + index }
        yield { event, before: offset + index }
      }
      if (fresh.length === 0 || events.length < PAGE_SIZE) {
        return
      }
    }
  }

  /** The page on which the events after a position start; it has none of them if there are none. */
  async #findPageAfter(
    position: EventPosition | undefined
  ): Promise<{ events: AuditEvent[]; offset: number }> {
    let offset = position?.before ?? 0
    for (let isForward = false; ;) {
      const events = await this.#readPage(offset)
      const [first] = events
      if (!isForward && offset > 0 && (!first || isAfter(first, position))) {
        offset = Math.max(0, offset - PAGE_SIZE)
      } else if (events.length === PAGE_SIZE && !isAfter(events.at(-1)!, position)) {
        offset += PAGE_SIZE
        isForward = true
      } else {
        return { events, offset }
      }
    }
  }

  async #readPage(offset: number): Promise<AuditEvent[]> {
    const query = new URLSearchParams(this.#filter)
    query.set('sort', '-createdAt')
    query.set('page[limit]', String(PAGE_SIZE))
    query.set('page[offset]', String(offset))
    const path = `/events?${query}`
    const text = await requestTelemetry(this.#telemetry, { about: 'Events', path, expected: 200 })
    return (JSON.parse(text) as { data: AuditEvent[] }).data
  }
}

function isAfter(event: AuditEvent, position: EventPosition | undefined): boolean {
  return (
    position === undefined ||
    event.createdAt < position.createdAt ||
    (event.createdAt === position.createdAt && event.id < position.id)
  )
}

const formatCursor = ({ createdAt, id, before }: EventPosition) => `${createdAt}_${id}_${before}`

function parseCursor(cursor: string): EventPosition {
  const [, createdAt, id, before] = /^([^_]+Z)_([\da-f-]{36})_(\d{1,9})$/.exec(cursor) ?? []
  if (createdAt === undefined || id === undefined) {
    throw new BadRequest('The cursor is invalid: leave it out to start with the first page')
  }
  return { createdAt, id, before: Number(before) }
}
