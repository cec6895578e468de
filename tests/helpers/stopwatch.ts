import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Stays a real one while a test holds the timers. */
const realNow = performance.now.bind(performance)

/** Linux notes for how long a thread that could have worked had to wait for a processor, in nanoseconds. */
const notedOf = (pid: number) => `/proc/${pid}/schedstat`

/**
 * Begins to measure. The returned function says how many milliseconds have gone by since, without those in which other
 * processes kept this one, or the one that does the work, from it: on a quiet machine, all of them.
 */
export function stopwatch(pid: number = process.pid): () => number {
  const [startedAt, heldUpBefore] = [realNow(), stalledMs(pid)]
  return () => realNow() - startedAt - (stalledMs(pid) - heldUpBefore)
}

/** Resolves when a stopwatch would show that time. */
export async function timeGoneBy(ms: number): Promise<void> {
  const took = stopwatch()
  for (let left = ms; left > 0; left = ms - took()) {
    await delay(left, undefined, { ref: false })
  }
}

function stalledMs(pid: number): number {
  try {
    return Number(readFileSync(notedOf(pid), 'utf8').split(' ')[1]) / 1e6
  } catch {
    // Not every kernel notes it.
    return 0
  }
}
