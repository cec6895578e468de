import type { Actor } from '#kernel/actor'

/** How an event came in: from a caller of the API, from the bus, from the platform itself, or from an installation that was taken over. */
export type ReporterType = Actor['kind'] | 'bus' | 'platform' | 'adoption'

/** Who handed an event in. The platform records it; no sender can. */
export interface Reporter {
  readonly id: string | null
  readonly realmId: string | null
  readonly type: ReporterType
}

/** The caller of `POST /events`. */
export const reportedBy = ({ id, realmId, kind }: Actor): string =>
  serialized({ id, realmId, type: kind })

/** Whoever has access to the broker: it does not say who. */
export const REPORTED_ON_BUS = serialized({ id: null, realmId: null, type: 'bus' })

export const REPORTED_BY_PLATFORM = serialized({ id: null, realmId: null, type: 'platform' })

/** Events of an installation that was taken over. */
export const REPORTED_BY_ADOPTION = serialized({ id: null, realmId: null, type: 'adoption' })

/** As JSON with its keys in order, which is how it is sealed. */
function serialized({ id, realmId, type }: Reporter): string {
  return JSON.stringify({ id, realmId, type })
}
