/** Who reported an event of the audit trail, as the platform records it. */
interface Reporter {
  readonly type?: unknown
  readonly id?: unknown
}

const OF_REQUEST = ['requestPath', 'requestMethod', 'requestIpAddress', 'requestUserAgent'] as const
const OF_ACTOR = ['actorType', 'actorId', 'actorName'] as const

type ClaimedAttribute = (typeof OF_REQUEST)[number] | (typeof OF_ACTOR)[number]

/** What an event says about where it came from. */
type ReportedEvent = Readonly<Record<ClaimedAttribute, string | null>> & {
  /** Unknown, since a row may have been changed in the database. */
  readonly reportedBy: unknown
}

/** Whether the platform itself recorded an event: over its bus, or directly. */
export function isOwnReport(reportedBy: unknown): boolean {
  const { type } = (reportedBy ?? {}) as Reporter
  return type === 'bus' || type === 'platform'
}

/**
 * The attributes of an event that are the words of its reporter, since the platform did not see the request. Who
 * reports what it did itself is known by its token.
 */
export function claimedAttributes(event: ReportedEvent): ClaimedAttribute[] {
  const { reportedBy, actorId, actorType } = event
  if (isOwnReport(reportedBy)) {
    return []
  }
  const { type, id } = (reportedBy ?? {}) as Reporter
  const isOfReporter = actorId !== null && actorId === id && actorType === type
  return [...OF_REQUEST, ...(isOfReporter ? [] : OF_ACTOR)].filter((name) => event[name] !== null)
}
