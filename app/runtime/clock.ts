import { randomBytes, randomUUID } from 'node:crypto'

/**
 * Where the platform takes time, ids and randomness from, so that a test can hold all three.
 */
export interface Clock {
  now(): number
  uuid(): string
  random(bytes: number): Buffer
}

const systemClock: Clock = {
  now: () => Date.now(),
  uuid: () => randomUUID(),
  random: (bytes) => randomBytes(bytes),
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
export function holdClock(held: Partial<Clock>): () => void {
  const previous = current
  current = { ...previous, ...held }
  return () => {
    current = previous
  }
}
