import { isIP } from 'node:net'

import { MOST_EVENT_BYTES, type EventBody, type EventRow } from './event.js'
import { sanitized, withShortTexts } from './sanitize.js'

/** What an event says and who handed it in, apart from who it is and since when. */
export type EventContent = Omit<EventRow, 'id' | 'createdAt' | 'updatedAt'>

/** An event that is to be kept; its id decides whether it is there already. */
export type NewEvent = Omit<EventRow, 'updatedAt'>

/**
 * An event as it is kept, whichever way it came in. What says where it came from is cut to what there is room for; that must not
 * cost the event.
 */
export function storedEvent(body: EventBody, reporter: string): EventContent {
  const { requestIpAddress: address } = body
  return {
    scope: body.scope,
    name: body.name,
    refType: body.refType,
    refId: body.refId ?? null,
    data: dataOf(body),
    expiring: body.expiring ?? false,
    requestPath: truncated(body.requestPath, 256),
    requestMethod: body.requestMethod ?? null,
    requestIpAddress: address && isIP(address) ? address : null,
    requestUserAgent: truncated(body.requestUserAgent, 512),
    actorType: body.actorType ?? null,
    actorId: body.actorId ?? null,
    actorName: truncated(body.actorName, 64),
    realmId: body.realmId ?? null,
    expiresAt: body.expiresAt ? new Date(body.expiresAt).toISOString() : null,
    reportedBy: reporter,
  }
}

/** Large texts are cut where there is not enough room, and what is too large then is left out: it must not cost the event either. */
function dataOf({ data }: EventBody): string | null {
  const content = sanitized(data)
  if (content === null) {
    return null
  }
  const texts = [() => content, () => withShortTexts(content), () => ({ diff: {} })]
  const candidates = texts.values().map((write) => JSON.stringify(write()))
  return candidates.find((text) => Buffer.byteLength(text) <= MOST_EVENT_BYTES)!
}

/** The database counts characters, and cannot hold one of them. */
export function truncated(text: string | null | undefined, most: number): string | null {
  return text?.replaceAll('\0', '').slice(0, most) ?? null
}
