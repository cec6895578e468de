import { setTimeout as delay } from 'node:timers/promises'

import { clock } from './clock.js'

export interface BackOff {
  readonly firstMs: number
  readonly longestMs: number
}

/** Milliseconds to wait before the attempt after `failures` failed ones: twice as long each time, up to the longest. */
export function doubledPause(failures: number, { firstMs, longestMs }: BackOff): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs)
}

/** As `doubledPause`, and never the same for those that failed together. */
export function pauseAfter(failures: number, backOff: BackOff): number {
  const share = clock.random(4).readUInt32BE() / 2 ** 32
  return doubledPause(failures, backOff) * (0.5 + share / 2)
}

/** Waits, or returns early when the signal says that there is no time left. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {})
}
