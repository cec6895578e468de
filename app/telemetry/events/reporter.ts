import type { Actor } from '#kernel/actor'

/** How an event was reported: by a caller of the API, over the bus, by the platform, or by an adoption. */
type ReporterType = Actor['kind'] | 'bus' | 'platform' | 'adoption'

/** Who reported an event. The platform sets it, never the sender. */
export interface Reporter {
  readonly id: string | null
  readonly realmId: string | null
  readonly type: ReporterType
}

/** The reporter of what an actor sends. */
export const reporterOf = ({ id, realmId, kind }: Actor): Reporter => ({ id, realmId, type: kind })

/** The reporter of log lines that come over the bus, whose broker does not identify its clients. */
export const BUS: Reporter = { id: null, realmId: null, type: 'bus' }

export const PLATFORM: Reporter = { id: null, realmId: null, type: 'platform' }

/** The reporter of `POST /events`. */
export const reportedBy = (actor: Actor): string => serialized(reporterOf(actor))

/** Events from the bus: the broker does not identify its clients. */
export const REPORTED_ON_BUS = serialized(BUS)

export const REPORTED_BY_PLATFORM = serialized(PLATFORM)

/** The reporters whose events the platform recorded itself, as they are stored. */
export const OWN_REPORTERS = [REPORTED_ON_BUS, REPORTED_BY_PLATFORM]

/** Events of an installation that was adopted. */
export const REPORTED_BY_ADOPTION = serialized({ id: null, realmId: null, type: 'adoption' })

/** JSON with ordered keys, as it is sealed. */
function serialized({ id, realmId, type }: Reporter): string {
  return JSON.stringify({ id, realmId, type })
}
