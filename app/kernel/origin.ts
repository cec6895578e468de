import type { Actor } from './actor.js'

/** Where a request comes from. */
export interface RequestSource {
  readonly requestId: string
  readonly address: string
  readonly userAgent: string | undefined
  /** Of the request; what is not done for one has neither. */
  readonly method?: string
  /** Without the query, in which a secret may stand. */
  readonly path?: string
}

/** Who does something, and from where. */
export interface Origin extends RequestSource {
  readonly actor: Actor
  /** What else changed, where the change follows from that and was not asked for. */
  readonly contentChanged?: readonly string[]
  /** The realm whose decision this is, where the actor is of another one. */
  readonly onBehalfOf?: string
}

/** The origin of a decision that belongs to a realm. */
export function onBehalfOfRealm(origin: Origin, realmId: string): Origin {
  return origin.actor.realmId === realmId ? origin : { ...origin, onBehalfOf: realmId }
}
