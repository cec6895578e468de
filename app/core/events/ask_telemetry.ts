import type { Elsewhere } from '#auth/own_fetch'
import { askedOfTelemetry, havingAll } from '#core/asked_of_telemetry'
import { BadRequest } from '#kernel/failures'
import type { EventReader, KeptEvent } from './event_reader.js'

/** The largest page that telemetry answers with. */
const PAGE = 50

/** An event in the list of all that are about a record, and how many it had before it when it was read. */
interface Place extends Pick<KeptEvent, 'createdAt' | 'id'> {
  readonly before: number
}

/** The audit trail that telemetry keeps, at its address. */
export function askTelemetry(telemetry: Elsewhere): EventReader {
  return {
    async read({ refType, refId, from = '', until, limit, cursor }) {
      const list = new NewestFirst(telemetry, havingAll({ refType, refId }))
      const events: KeptEvent[] = []
      let last: Place | undefined
      const begin = cursor === undefined ? undefined : placeIn(cursor)
      for await (const { event, before } of list.behind(begin)) {
        if (event.createdAt < from) {
          break
        }
        if (until !== undefined && event.createdAt >= until) {
          continue
        }
        if (events.length === limit) {
          return { events, next: cursorAt(last!) }
        }
        events.push(event)
        last = { ...event, before }
      }
      return { events }
    },
  }
}

/**
 * The events about one record. Telemetry pages by how many come before, which changes while events come and go: an event is
 * looked for where it was, and then around.
 */
class NewestFirst {
  readonly #telemetry: Elsewhere
  readonly #filter: URLSearchParams

  constructor(telemetry: Elsewhere, filter: URLSearchParams) {
    this.#telemetry = telemetry
    this.#filter = filter
  }

  async *behind(place: Place | undefined): AsyncGenerator<{ event: KeptEvent; before: number }> {
    let last = place
    while (true) {
      const { events, offset } = await this.#pageBehind(last)
      const fresh = [...events.entries()].filter(([, event]) => isBehind(event, last))
      for (const [index, event] of fresh) {
        last = { ...event, before: offset + index }
        yield { event, before: offset + index }
      }
      if (fresh.length === 0 || events.length < PAGE) {
        return
      }
    }
  }

  /** The page on which the events behind a place begin, or one without any where there are none. */
  async #pageBehind(place: Place | undefined): Promise<{ events: KeptEvent[]; offset: number }> {
    let offset = place?.before ?? 0
    for (let isForward = false; ;) {
      const events = await this.#pageAt(offset)
      const [first] = events
      if (!isForward && offset > 0 && (!first || isBehind(first, place))) {
        offset = Math.max(0, offset - PAGE)
      } else if (events.length === PAGE && !isBehind(events.at(-1)!, place)) {
        offset += PAGE
        isForward = true
      } else {
        return { events, offset }
      }
    }
  }

  async #pageAt(offset: number): Promise<KeptEvent[]> {
    const query = new URLSearchParams(this.#filter)
    query.set('sort', '-createdAt')
    query.set('page[limit]', String(PAGE))
    query.set('page[offset]', String(offset))
    const path = `/events?${query}`
    const text = await askedOfTelemetry(this.#telemetry, { about: 'Events', path, expected: 200 })
    return (JSON.parse(text) as { data: KeptEvent[] }).data
  }
}

function isBehind(event: KeptEvent, place: Place | undefined): boolean {
  return (
    place === undefined ||
    event.createdAt < place.createdAt ||
    (event.createdAt === place.createdAt && event.id < place.id)
  )
}

const cursorAt = ({ createdAt, id, before }: Place) => `${createdAt}_${id}_${before}`

function placeIn(cursor: string): Place {
  const [, createdAt, id, before] = /^([^_]+Z)_([\da-f-]{36})_(\d{1,9})$/.exec(cursor) ?? []
  if (createdAt === undefined || id === undefined) {
    throw new BadRequest('The cursor is not that of a page; begin with the first one')
  }
  return { createdAt, id, before: Number(before) }
}
