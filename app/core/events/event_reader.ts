/** An audit event as core reads it; times are ISO text in UTC, to the millisecond. */
export interface AuditEvent {
  readonly id: string
  readonly scope: string
  readonly name: string
  readonly refType: string
  readonly refId: string | null
  readonly data: unknown
  readonly actorType: string | null
  readonly actorId: string | null
  readonly actorName: string | null
  readonly realmId: string | null
  readonly createdAt: string
  /** Who reported it; null for events from before this was recorded. */
  readonly reportedBy: unknown
}

/** The events about one record within a time range. */
export interface EventQuery {
  readonly refType: string
  readonly refId: string
  /** Inclusive start; unbounded if undefined. */
  readonly from?: string
  /** Exclusive end; unbounded if undefined. */
  readonly until?: string
  readonly limit: number
  /** The cursor of the previous page; an invalid one throws `BadRequest`. */
  readonly cursor?: string
}

export interface EventPage {
  /** Newest first, then by id. */
  readonly events: readonly AuditEvent[]
  /** The cursor of the next page; undefined on the last page. */
  readonly next?: string
}

/**
 * Reads the audit trail of telemetry, in this process or elsewhere. Pages neither repeat nor miss an event while others
 * are added or removed. Rejects with `ServiceUnavailable` while telemetry is not reachable.
 */
export abstract class EventReader {
  abstract read(query: EventQuery): Promise<EventPage>
}

/** For an installation without telemetry. */
export const NO_EVENTS: EventReader = { read: async () => ({ events: [] }) }
