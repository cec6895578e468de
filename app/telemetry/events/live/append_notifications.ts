import { EventEmitter } from 'node:events'

import type pg from 'pg'

import { afterCommit } from '#records/transaction'

/** The topic on which processes announce new events. */
export const EVENTS_TOPIC = 'events'

const appended = new EventEmitter<{ events: [] }>()

/** Calls a listener after this process has stored events. */
export function onAppended(listener: () => void): void {
  appended.on('events', listener)
}

/** Notifies listeners of new events after the transaction commits. */
export function notifyAppended(transaction: pg.ClientBase): void {
  afterCommit(transaction, () => appended.emit('events'))
}
