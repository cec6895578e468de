import type { Origin, RequestSource } from '#kernel/origin'

/** What can happen around the login of a user or a client. */
export type SignInEvent =
  'signInFailed' | 'signInsBlocked' | 'refreshTokenReused' | 'authorizationCodeReused'

/**
 * Something that has to be known later although no record changed. What was refused or read is named, never shown.
 */
export interface SecurityEvent {
  readonly type: 'permissionRefused' | 'secretRead' | SignInEvent
  /** A kind of record, or the name of a route. */
  readonly subject: string
  readonly id: string | null
  readonly realmId: string | null
  /** Without an actor where the caller is not signed in. */
  readonly origin: RequestSource & Partial<Origin>
  /** What was missing, where permissions were. */
  readonly permissions: readonly string[]
  /** How often it happened, where that is counted. */
  readonly count?: number
}

/** Where security events go. There is no transaction they belong to. */
export abstract class SecuritySink {
  abstract record(event: SecurityEvent): Promise<void>
}
