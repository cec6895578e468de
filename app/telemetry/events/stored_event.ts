import { isIP } from 'node:net'

import { MOST_EVENT_BYTES, type EventBody, type EventRow } from './event.js'
import { sanitized, withShortTexts } from './sanitize.js'

/** An event without its id and times. */
export type EventContent = Omit<EventRow, 'id' | 'createdAt' | 'updatedAt'>

/** An event to store. Its id identifies duplicates. */
export type NewEvent = Omit<EventRow, 'updatedAt'>

/**
 * The event to store for a body. Details of the request are truncated rather than rejected, so that the event is
 * not lost.
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

/** Truncates long texts if the data are too large, and then drops the data, so that the event is not lost. */
function dataOf({ data }: EventBody): string | null {
  const content = sanitized(data)
  if (content === null) {
    return null
  }
  const texts = [() => content, () => withShortTexts(content), () => ({ diff: {} })]
  const candidates = texts.values().map((write) => JSON.stringify(write()))
  return candidates.find((text) => Buffer.byteLength(text) <= MOST_EVENT_BYTES)!
}

/** Truncates a text to the column's length in characters, without NUL, which the database does not accept. */
export function truncated(text: string | null | undefined, most: number): string | null {
  return text?.replaceAll('\0', '').slice(0, most) ?? null
}
