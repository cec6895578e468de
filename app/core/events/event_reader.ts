/** An event as core reads it; times are ISO text in UTC, to the millisecond. */
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
  /** Who handed it in; null for events of before that was recorded. */
  readonly reportedBy: unknown
}

/** Which events are read: those about one record that happened in a time. */
export interface EventQuery {
  readonly refType: string
  readonly refId: string
  /** The first moment of that time; it has no beginning without. */
  readonly from?: string
  /** The moment after it; it has no end without. */
  readonly until?: string
  readonly limit: number
  /** That of the page before; another one is refused with `BadRequest`. */
  readonly cursor?: string
}

export interface EventPage {
  /** The newest first, those of one time by their ids. */
  readonly events: readonly AuditEvent[]
  /** What the next page is read with; none after the last one. */
  readonly next?: string
}

/**
 * What core reads of the audit trail: in this process, or of telemetry where it is. Pages neither repeat nor miss an event,
 * whatever comes and goes meanwhile. Rejects with `ServiceUnavailable` while telemetry is away.
 */
export interface EventReader {
  read(query: EventQuery): Promise<EventPage>
}

/** Where there is no telemetry, there are no events. */
export const NO_EVENTS: EventReader = { read: async () => ({ events: [] }) }
