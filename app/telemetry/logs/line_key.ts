import { clock } from '#kernel/clock'
import { newId } from '#kernel/new_id'

/** So many digits has a time in milliseconds until the year 2286. */
const TIME_DIGITS = 13
const TURN_DIGITS = 6
const TURNS = 10 ** TURN_DIGITS

let turn = 0

/**
 * The key of a line that comes in now: when that was, which of this process it was, and what tells it from those of other
 * processes or, where it came from the bus, what it is found by when it comes once more.
 */
export function newLineKey(unique = newId()): string {
  turn = (turn + 1) % TURNS
  return `${keyFrom(clock.now())}${String(turn).padStart(TURN_DIGITS, '0')}-${unique}`
}

/** What is not greater than any key made at this time or later, and greater than all before. */
export function keyFrom(milliseconds: number): string {
  return `${String(Math.max(0, milliseconds)).padStart(TIME_DIGITS, '0')}-`
}

/** When the line came in that has this key; NaN where it is none. */
export function timeOfKey(key: string): number {
  return /^\d{13}-/.test(key) ? Number(key.slice(0, TIME_DIGITS)) : Number.NaN
}

/** What the key has of the line itself, also where it comes in once more. */
export function uniqueOf(key: string): string {
  return key.slice(key.indexOf('-', TIME_DIGITS + 1) + 1)
}
