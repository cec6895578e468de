import { isIP } from 'node:net'

import type { EventBody, EventRow } from './event.js'
import { sanitized } from './sanitize.js'

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
  const data = sanitized(body.data)
  return {
    scope: body.scope,
    name: body.name,
    refType: body.refType,
    refId: body.refId ?? null,
    data: data && JSON.stringify(data),
    expiring: body.expiring ?? false,
    requestPath: fitted(body.requestPath, 256),
    requestMethod: body.requestMethod ?? null,
    requestIpAddress: address && isIP(address) ? address : null,
    requestUserAgent: fitted(body.requestUserAgent, 512),
    actorType: body.actorType ?? null,
    actorId: body.actorId ?? null,
    actorName: fitted(body.actorName, 64),
    realmId: body.realmId ?? null,
    expiresAt: body.expiresAt ? new Date(body.expiresAt).toISOString() : null,
    reportedBy: reporter,
  }
}

/** The database counts characters, and cannot hold one of them. */
export function fitted(text: string | null | undefined, most: number): string | null {
  return text?.replaceAll('\0', '').slice(0, most) ?? null
}
