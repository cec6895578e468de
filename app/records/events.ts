import type pg from 'pg'

import type { Actor } from '#http/actor'
import type { Values } from '#records/kind'

export type ChangeType = 'created' | 'updated' | 'deleted'

/** Who changed something, and from where. */
export interface Origin {
  readonly actor: Actor
  readonly requestId: string
  readonly address: string
  readonly userAgent: string | undefined
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
}

/**
 * Where changes go. It writes on the transaction that makes the change, so that neither exists without the other.
 */
export interface EventSink {
  record(transaction: pg.ClientBase, change: RecordChange): Promise<void>
}

/**
 * Something that has to be known later although no record changed. What was refused or read is named, never shown.
 */
export interface SecurityEvent {
  readonly type: 'permissionRefused' | 'secretRead'
  /** A kind of record, or the name of a route. */
  readonly subject: string
  readonly id: string | null
  readonly realmId: string | null
  readonly origin: Origin
  /** What was missing, where permissions were. */
  readonly permissions: readonly string[]
}

/** Where security events go. There is no transaction they belong to. */
export interface SecuritySink {
  note(event: SecurityEvent): Promise<void>
}
