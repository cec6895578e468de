import type { Actor } from '#kernel/actor'
import type { EndSignal } from '#kernel/end_signal'

/**
 * Verifies access tokens; undefined for an invalid one. Throws if a token cannot be verified now. Routes without
 * authentication ignore failures.
 */
export abstract class Authenticator {
  abstract verify(token: string): Promise<Actor | undefined> | Actor | undefined
  /**
   * For connections that outlive their request: ends them when the token expires or is revoked. Without it, a token is
   * accepted for as long as the connection lasts.
   */
  guardConnection?(token: string, connection: EndSignal): void
  /** For connections that outlive their token: watches the session of the token until it ends or `closed` aborts. */
  watchSession?(token: string, closed: AbortSignal): SessionWatch
}

/** The session of a connected caller. */
export interface SessionWatch {
  /** Aborts when the session ends. */
  readonly ended: AbortSignal
  /** The caller with its current permissions; undefined if the session has ended. */
  actor(): Promise<Actor | undefined>
  /** Calls a listener whenever the actor may have changed. */
  onChange(listener: (actor: Actor) => void): void
}
