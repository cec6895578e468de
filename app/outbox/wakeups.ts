import { EventEmitter } from 'node:events'

import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'
import type pg from 'pg'

import { oncePer } from '#kernel/once_per'
import { afterCommit } from '#records/transaction'

/** The topic that announces new outbox entries to other processes. */
export const OUTBOX_TOPIC = 'outbox'

const wakeupsOf = oncePer((_app: ApplicationService) => new EventEmitter<{ entries: [] }>())

/**
 * Calls the listener whenever this application has committed entries to an outbox, until the returned function is called.
 */
export function onOutboxWritten(listener: () => void): () => void {
  const wakeups = wakeupsOf(app)
  wakeups.on('entries', listener)
  return () => wakeups.off('entries', listener)
}

/** Announces committed entries. */
export function notifyWritten(): void {
  wakeupsOf(app).emit('entries')
}

/** Announces entries after the transaction has committed. */
export function notifyAfterCommit(transaction: pg.ClientBase): void {
  afterCommit(transaction, notifyWritten)
}
