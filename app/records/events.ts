import type pg from 'pg'

import type { Actor } from '#http/actor'
import type { Values } from '#records/kind'

export type ChangeType = 'created' | 'updated' | 'deleted'

/** Where a request comes from. */
export interface Source {
  readonly requestId: string
  readonly address: string
  readonly userAgent: string | undefined
  /** Of the request; what is not done for one has neither. */
  readonly method?: string
  /** Without the query, in which a secret may stand. */
  readonly path?: string
}

/** Who does something, and from where. */
export interface Origin extends Source {
  readonly actor: Actor
  /** What else changed, where the change follows from that and nobody asked for it. */
  readonly contentChanged?: readonly string[]
}

/**
 * A change of one record. Secret columns are in neither version.
 */
export interface RecordChange {
  readonly kind: string
  readonly type: ChangeType
  readonly id: string
  readonly realmId: string | null
  readonly origin: Origin
  readonly previous: Values | undefined
  readonly next: Values | undefined
  /** Whether the record got another secret; what it was and is stays untold. */
  readonly replacesSecrets?: boolean
}

/**
 * Where changes go. It writes on the transaction that makes the change, so that neither exists without the other.
 */
export interface EventSink {
  record(transaction: pg.ClientBase, change: RecordChange): Promise<void>
  /** As `record`, for many changes at once, where that costs less than one after the other. */
  recordAll?(transaction: pg.ClientBase, changes: readonly RecordChange[]): Promise<void>
}

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
  /** Without an actor where nobody is signed in. */
  readonly origin: Source & Partial<Origin>
  /** What was missing, where permissions were. */
  readonly permissions: readonly string[]
  /** How often it happened, where that is counted. */
  readonly count?: number
}

/** Where security events go. There is no transaction they belong to. */
export interface SecuritySink {
  note(event: SecurityEvent): Promise<void>
}
