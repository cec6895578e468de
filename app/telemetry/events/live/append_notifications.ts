import { EventEmitter } from 'node:events'

import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'
import type pg from 'pg'

import { oncePer } from '#kernel/once_per'
import { afterCommit } from '#records/transaction'

/** The topic on which processes announce new events. */
export const EVENTS_TOPIC = 'events'

const appendsOf = oncePer((_app: ApplicationService) => new EventEmitter<{ events: [] }>())

/** Calls a listener after this application has stored events. */
export function onAppended(listener: () => void): void {
  appendsOf(app).on('events', listener)
}

/** Notifies listeners of new events after the transaction commits. */
export function notifyAppended(transaction: pg.ClientBase): void {
  afterCommit(transaction, () => appendsOf(app).emit('events'))
}
