import type pg from 'pg'

import type { Origin } from '#kernel/origin'
import type { Attributes } from './row.js'

export type ChangeType = 'created' | 'updated' | 'deleted'

/**
 * A change of one record. Secret columns are in neither version.
 */
export interface RecordChange {
  readonly kind: string
  readonly type: ChangeType
  readonly id: string
  readonly realmId: string | null
  readonly origin: Origin
  readonly previous: Attributes | undefined
  readonly next: Attributes | undefined
  /** Whether the record got another secret; what it was and is stays untold. */
  readonly replacesSecrets?: boolean
  /** Of the message that tells of it, where something else refers to that. */
  readonly messageId?: string
  /** Whether the audit trail keeps it for good although no kind of this process says so. */
  readonly isLasting?: boolean
}

/**
 * Where changes go. It writes on the transaction that makes the change, so that neither exists without the other.
 */
export abstract class EventSink {
  abstract record(transaction: pg.ClientBase, change: RecordChange): Promise<void>
  /** As `record`, for many changes at once, where that costs less than one after the other. */
  recordAll?(transaction: pg.ClientBase, changes: readonly RecordChange[]): Promise<void>
}
