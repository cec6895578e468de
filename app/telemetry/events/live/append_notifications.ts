import { EventEmitter } from 'node:events'

import type pg from 'pg'

import { afterCommit } from '#records/transaction'

/** What the processes of an installation tell each other when there are new events. */
export const EVENTS_TOPIC = 'events'

const appended = new EventEmitter<{ events: [] }>()

/** Calls a listener whenever this process has kept events. */
export function onAppended(listener: () => void): void {
  appended.on('events', listener)
}

/** Says that there are new events once what was written on the transaction is kept. */
export function notifyAppended(transaction: pg.ClientBase): void {
  afterCommit(transaction, () => appended.emit('events'))
}
