import type { Actor } from './actor.js'

/** Where a request comes from. */
export interface RequestSource {
  readonly requestId: string
  readonly address: string
  readonly userAgent: string | undefined
  /** Of the request; undefined for work that has no request. */
  readonly method?: string
  /** Without the query, which may contain a secret. */
  readonly path?: string
}

/** Who acts, and from where. */
export interface Origin extends RequestSource {
  readonly actor: Actor
  /** Attributes that changed as a consequence and were not part of the request. */
  readonly contentChanged?: readonly string[]
  /** The realm that the actor decides for, if it is not the actor's own. */
  readonly onBehalfOf?: string
}

/** The origin of a decision that belongs to a realm. */
export function onBehalfOfRealm(origin: Origin, realmId: string): Origin {
  return origin.actor.realmId === realmId ? origin : { ...origin, onBehalfOf: realmId }
}
