/** The authenticated caller of a request. */
export interface Actor {
  readonly kind: 'user' | 'client' | 'robot'
  readonly id: string
  readonly name: string | null
  readonly realmId: string | null
  readonly realmName: string | null
  readonly clientId: string | null
  readonly permissions: ReadonlySet<string>
  /** Expiry of the token, in seconds since the epoch. */
  readonly expiresAt: number
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The caller; undefined for anonymous requests. */
    actor?: Actor
  }
}
