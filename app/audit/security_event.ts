import type { Origin, RequestSource } from '#kernel/origin'

/** Events around the login of a user or a client. */
export type SignInEvent =
  'signInFailed' | 'signInsBlocked' | 'refreshTokenReused' | 'authorizationCodeReused'

/** The outcome of a verification of the audit trail. */
type TrailEvent = 'trailIntact' | 'trailChanged'

/** What operators do with messages that could not be processed, and that it was not done after all. */
export type DeadLetterEvent = 'deadLetterRedriven' | 'deadLetterDropped' | 'deadLetterUntouched'

/** Log lines are about to be deleted. */
type LogEvent = 'logsDeleted'

/** An auditable event without a change of a record. It names what was refused or read but never contains it. */
export interface SecurityEvent {
  readonly type:
    | 'permissionRefused'
    | 'secretRead'
    | 'codeRead'
    | DeadLetterEvent
    | TrailEvent
    | SignInEvent
    | LogEvent
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
  /** Identifies a subject that is not a record. */
  readonly facts?: Readonly<Record<string, string>>
}

/** Stores security events, outside of any transaction. */
export abstract class SecuritySink {
  abstract record(event: SecurityEvent): Promise<void>
}
