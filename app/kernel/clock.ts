import { randomBytes, randomFillSync, randomUUID } from 'node:crypto'

/**
 * Where the platform takes time, ids and randomness from, so that a test can hold all three.
 */
export interface Clock {
  now(): number
  uuid(): string
  random(bytes: number): Buffer
}

/** Asking the system for a few random bytes costs as much as asking for many. */
const drawn = Buffer.alloc(4096)
let used = drawn.length

function fewRandomBytes(bytes: number): Buffer {
  if (bytes > drawn.length - used) {
    randomFillSync(drawn)
    used = 0
  }
  const taken = Buffer.from(drawn.subarray(used, used + bytes))
  drawn.fill(0, used, used + bytes)
  used += bytes
  return taken
}

const systemClock: Clock = {
  now: () => Date.now(),
  uuid: () => randomUUID(),
  random: (bytes) => (bytes <= 64 ? fewRandomBytes(bytes) : randomBytes(bytes)),
}

let current = systemClock

export const clock: Clock = {
  now: () => current.now(),
  uuid: () => current.uuid(),
  random: (bytes) => current.random(bytes),
}

/**
 * Replaces parts of the clock until the returned function is called; tests use it to stop time.
 */
export function overrideClock(overrides: Partial<Clock>): () => void {
  const previous = current
  current = { ...previous, ...overrides }
  return () => {
    current = previous
  }
}
