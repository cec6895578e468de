import type { Origin, RequestSource } from '#kernel/origin'

/** Events around the login of a user or a client. */
export type SignInEvent =
  'signInFailed' | 'signInsBlocked' | 'refreshTokenReused' | 'authorizationCodeReused'

/** The outcome of a verification of the audit trail. */
export type TrailEvent = 'trailIntact' | 'trailChanged'

/** An auditable event without a change of a record. It names what was refused or read but never contains it. */
export interface SecurityEvent {
  readonly type: 'permissionRefused' | 'secretRead' | TrailEvent | SignInEvent
  /** A kind of record or the name of a route. */
  readonly subject: string
  readonly id: string | null
  readonly realmId: string | null
  /** Without an actor if the caller is not signed in. */
  readonly origin: RequestSource & Partial<Origin>
  /** The missing permissions, if any. */
  readonly permissions: readonly string[]
  /** How often it happened, for aggregated events. */
  readonly count?: number
}

/** Stores security events, outside of any transaction. */
export abstract class SecuritySink {
  abstract record(event: SecurityEvent): Promise<void>
}
