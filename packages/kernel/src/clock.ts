import { randomBytes, randomFillSync, randomUUID } from 'node:crypto'

/** The single source of time, ids and randomness, so that tests can override all three. */
export interface Clock {
  now(): number
  uuid(): string
  random(bytes: number): Buffer
}

/** Random bytes are drawn in blocks: a call for a few costs as much as a call for many. */
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

/** Overrides parts of the clock until the returned function is called. For tests. */
export function overrideClock(overrides: Partial<Clock>): () => void {
  const previous = current
  current = { ...previous, ...overrides }
  return () => {
    current = previous
  }
}
