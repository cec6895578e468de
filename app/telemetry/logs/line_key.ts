import { clock } from '#kernel/clock'
import { newId } from '#kernel/new_id'

/** The digits of a time in milliseconds until the year 2286. */
const TIME_DIGITS = 13
/** Enough for the lines of one millisecond. */
const SEQUENCE_DIGITS = 6

let lastTime = 0
let sequence = 0

/**
 * The key of a line that arrives now: its time, a sequence number of the process, and a unique part. The unique
 * part of a line from the bus is its message id, which identifies redeliveries.
 */
export function newLineKey(unique = newId()): string {
  const now = clock.now()
  sequence = now === lastTime ? sequence + 1 : 0
  lastTime = now
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
