import { EventEmitter } from 'node:events'

import type pg from 'pg'

import { afterCommit } from '#records/transaction'

/** What the processes of an installation tell each other when there is something to publish. */
export const WAKE_TOPIC = 'outbox'

const kept = new EventEmitter<{ entries: [] }>()

/** Calls a listener whenever this process has kept entries in an outbox; the returned function takes it off again. */
export function onKept(listener: () => void): () => void {
  kept.on('entries', listener)
  return () => kept.off('entries', listener)
}

/** Says that there are entries which are already kept. */
export function tellKept(): void {
  kept.emit('entries')
}

/** Says so once what was written on the transaction is kept. */
export function tellKeptAfter(transaction: pg.ClientBase): void {
  afterCommit(transaction, tellKept)
}
