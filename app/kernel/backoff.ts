import { setTimeout as delay } from 'node:timers/promises'

import { clock } from './clock.js'

export interface BackoffPolicy {
  readonly firstMs: number
  readonly longestMs: number
}

/** Milliseconds to wait before the attempt after `failures` failed ones: twice as long each time, up to the longest. */
export function exponentialBackoff(
  failures: number,
  { firstMs, longestMs }: BackoffPolicy
): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs)
}

/** As `doubledPause`, and never the same for those that failed together. */
export function jitteredBackoff(failures: number, policy: BackoffPolicy): number {
  const share = clock.random(4).readUInt32BE() / 2 ** 32
  return exponentialBackoff(failures, policy) * (0.5 + share / 2)
}

/** Waits, or returns early when the signal says that there is no time left. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {})
}
