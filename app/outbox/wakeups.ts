import { EventEmitter } from 'node:events'

import type pg from 'pg'

import { afterCommit } from '#records/transaction'

/** What the processes of an installation tell each other when there is something to publish. */
export const OUTBOX_TOPIC = 'outbox'

const emitter = new EventEmitter<{ entries: [] }>()

/** Calls a listener whenever this process has kept entries in an outbox; the returned function takes it off again. */
export function onOutboxWritten(listener: () => void): () => void {
  emitter.on('entries', listener)
  return () => emitter.off('entries', listener)
}

/** Says that there are entries which are already kept. */
export function notifyWritten(): void {
  emitter.emit('entries')
}

/** Says so once what was written on the transaction is kept. */
export function notifyAfterCommit(transaction: pg.ClientBase): void {
  afterCommit(transaction, notifyWritten)
}
