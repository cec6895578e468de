/**
 * Who makes a request, as the identity provider vouches for it.
 */
export interface Actor {
  readonly kind: 'user' | 'client' | 'robot'
  readonly id: string
  readonly name: string | null
  readonly realmId: string | null
  readonly realmName: string | null
  readonly clientId: string | null
  readonly permissions: ReadonlySet<string>
  /** Seconds since 1970 at which the token ends. */
  readonly expiresAt: number
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** Who sent the request; undefined where the caller is not logged in. */
    actor?: Actor
  }
}
