import type { SealedEvent } from '#telemetry/trail/leaf'
import type { EventRow } from './event.js'
import type { NewEvent } from './stored_event.js'

/** A new event as the database will return it: ids in lower case, and malformed characters replaced. */
export function toSealedEvent(event: NewEvent): SealedEvent {
  return {
    id: event.id.toLowerCase(),
    scope: event.scope,
    name: event.name.toWellFormed(),
    refType: event.refType.toWellFormed(),
    refId: wellFormed(event.refId),
    data: event.data === null ? null : JSON.parse(event.data),
    expiring: event.expiring,
    requestPath: wellFormed(event.requestPath),
    requestMethod: wellFormed(event.requestMethod),
    requestIpAddress: wellFormed(event.requestIpAddress),
    requestUserAgent: wellFormed(event.requestUserAgent),
    actorType: wellFormed(event.actorType),
    actorId: event.actorId?.toLowerCase() ?? null,
    actorName: wellFormed(event.actorName),
    realmId: event.realmId?.toLowerCase() ?? null,
    expiresAt: event.expiresAt,
    createdAt: event.createdAt,
    updatedAt: event.createdAt,
    reportedBy: event.reportedBy === null ? null : JSON.parse(event.reportedBy),
  }
}

/** The same with JSON columns as text, as rows have them. */
export function toEventRow(event: NewEvent): EventRow {
  const { scope, data, reportedBy } = event
  return { ...toSealedEvent(event), scope, data, reportedBy }
}

function wellFormed(text: string | null): string | null {
  return text?.toWellFormed() ?? null
}
