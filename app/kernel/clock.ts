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
const randomPool = Buffer.alloc(4096)
let used = randomPool.length

function fewRandomBytes(bytes: number): Buffer {
  if (bytes > randomPool.length - used) {
    randomFillSync(randomPool)
    used = 0
  }
  const slice = Buffer.from(randomPool.subarray(used, used + bytes))
  randomPool.fill(0, used, used + bytes)
  used += bytes
  return slice
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
