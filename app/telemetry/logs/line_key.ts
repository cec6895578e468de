import { clock } from '#kernel/clock'
import { newId } from '#kernel/new_id'

/** So many digits has a time in milliseconds until the year 2286. */
const TIME_DIGITS = 13
/** More lines do not come in within a millisecond. */
const SEQUENCE_DIGITS = 6

let lastTime = 0
let sequence = 0

/**
 * The key of a line that comes in now: when that was, which of this process it was, and what tells it from those of other
 * processes or, where it came from the bus, what it is found by when it comes once more.
 */
export function newLineKey(unique = newId()): string {
  const now = clock.now()
  sequence = now === lastTime ? sequence + 1 : 0
  lastTime = now
  return `${firstKeyAt(now)}${String(sequence).padStart(SEQUENCE_DIGITS, '0')}-${unique}`
}

/** What is not greater than any key made at this time or later, and greater than all before. */
export function firstKeyAt(milliseconds: number): string {
  return `${String(Math.max(0, milliseconds)).padStart(TIME_DIGITS, '0')}-`
}

/** What is greater than this key, and not greater than any other that is. */
export const keyAfter = (key: string): string => `${key} `

/** When the line came in that has this key; NaN where it is none. */
export function timeOfKey(key: string): number {
  return /^\d{13}-/.test(key) ? Number(key.slice(0, TIME_DIGITS)) : Number.NaN
}

/** What the key has of the line itself, also where it comes in once more. */
export function uniqueOf(key: string): string {
  return key.slice(key.indexOf('-', TIME_DIGITS + 1) + 1)
}
