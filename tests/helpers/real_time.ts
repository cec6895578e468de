import { setTimeout as delay } from 'node:timers/promises'

/** Passes time that no test can set: that of another process or server, or of a client with a pace of its own. */
export async function realTime(ms: number, _because: string): Promise<void> {
  await delay(ms)
}

/** Pauses for a time that nobody can predict, where something must hold at whatever moment it happens. */
export async function randomPause(
  maxMs: number,
  random: () => number = Math.random
): Promise<void> {
  await delay(random() * maxMs)
}
