import type pg from 'pg'

import { afterCommit } from '#records/transaction'

/** What the processes of an installation tell each other when there is something to publish. */
export const WAKE_TOPIC = 'outbox'

let ring = () => {}

/**
 * Names what wakes the relay, wherever it runs, until the returned function is called. Without it the relay looks by itself
 * now and then.
 */
export function wakeRelayBy(wake: () => void): () => void {
  const previous = ring
  ring = wake
  return () => {
    ring = previous
  }
}

/** Wakes the relay now, for what is already kept. */
export function wakeRelay(): void {
  ring()
}

/** Wakes the relay once what was written on the transaction is kept. */
export function wakeRelayAfter(transaction: pg.ClientBase): void {
  afterCommit(transaction, wakeRelay)
}
