import { setTimeout as delay } from 'node:timers/promises'

import { clock } from './clock.js'

export interface BackoffPolicy {
  readonly firstMs: number
  readonly longestMs: number
}

/** The delay in milliseconds before the attempt after `failures` failed ones. It doubles each time, up to the limit. */
export function exponentialBackoff(
  failures: number,
  { firstMs, longestMs }: BackoffPolicy
): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs)
}

/** Like `exponentialBackoff`, with jitter. */
export function jitteredBackoff(failures: number, policy: BackoffPolicy): number {
  const share = clock.random(4).readUInt32BE() / 2 ** 32
  return exponentialBackoff(failures, policy) * (0.5 + share / 2)
}

/** Resolves after the delay, or as soon as the signal aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {})
}
