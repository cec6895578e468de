import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'

import { clock } from '#kernel/clock'
import { newId } from '#kernel/new_id'
import { oncePer } from '#kernel/once_per'

/** The digits of a time in milliseconds until the year 2286. */
const TIME_DIGITS = 13
/** Enough for the lines of one millisecond. */
const SEQUENCE_DIGITS = 6

/** Numbers the lines that arrive within a millisecond. */
class LineSequence {
  #lastTime = 0
  #number = 0

  next(now: number): number {
    this.#number = now === this.#lastTime ? this.#number + 1 : 0
    this.#lastTime = now
    return this.#number
  }
}

const sequenceOf = oncePer((_app: ApplicationService) => new LineSequence())

/**
 * The key of a line that arrives now: its time, a sequence number of the application, and a unique part. The unique
 * part of a line from the bus is its message id, which identifies redeliveries.
 */
export function newLineKey(unique = newId()): string {
  const now = clock.now()
  const sequence = sequenceOf(app).next(now)
  return `${firstKeyAt(now)}${String(sequence).padStart(SEQUENCE_DIGITS, '0')}-${unique}`
}

/** The lower bound of the keys that are made at this time or later. */
export function firstKeyAt(milliseconds: number): string {
  return `${String(Math.max(0, milliseconds)).padStart(TIME_DIGITS, '0')}-`
}

/** The smallest text greater than this key. */
export const keyAfter = (key: string): string => `${key} `

/** The time at which the line arrived; NaN for an invalid key. */
export function timeOfKey(key: string): number {
  return /^\d{13}-/.test(key) ? Number(key.slice(0, TIME_DIGITS)) : Number.NaN
}

/** The unique part of a key, which redelivered lines share. */
export function uniqueOf(key: string): string {
  return key.slice(key.indexOf('-', TIME_DIGITS + 1) + 1)
}
