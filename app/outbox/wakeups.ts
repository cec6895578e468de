import { EventEmitter } from 'node:events'

import type pg from 'pg'

import { afterCommit } from '#records/transaction'

/** The topic that announces new outbox entries to other processes. */
export const OUTBOX_TOPIC = 'outbox'

const emitter = new EventEmitter<{ entries: [] }>()

/**
 * Calls the listener whenever this process has committed entries to an outbox, until the returned function is called.
 */
export function onOutboxWritten(listener: () => void): () => void {
  emitter.on('entries', listener)
  return () => emitter.off('entries', listener)
}

/** Announces committed entries. */
export function notifyWritten(): void {
  emitter.emit('entries')
}

/** Announces entries after the transaction has committed. */
export function notifyAfterCommit(transaction: pg.ClientBase): void {
  afterCommit(transaction, notifyWritten)
}
