import type pg from 'pg'

import type { Origin } from '#kernel/origin'
import type { Attributes } from './row.js'

export type ChangeType = 'created' | 'updated' | 'deleted'

/** A change of one record. Neither version contains secret columns. */
export interface RecordChange {
  readonly kind: string
  readonly type: ChangeType
  readonly id: string
  readonly realmId: string | null
  readonly origin: Origin
  readonly previous: Attributes | undefined
  readonly next: Attributes | undefined
  /** Whether a secret of the record changed. Its values are never part of the change. */
  readonly replacesSecrets?: boolean
  /** The id of the message that carries the change, if something refers to it. */
  readonly messageId?: string
  /** Whether the audit trail retains the change permanently although its kind does not say so. */
  readonly isLasting?: boolean
}

/** Records changes within the transaction that makes them, so that both commit together. */
export abstract class EventSink {
  abstract record(transaction: pg.ClientBase, change: RecordChange): Promise<void>
  /** Like `record`, for many changes at once. */
  recordAll?(transaction: pg.ClientBase, changes: readonly RecordChange[]): Promise<void>
}
