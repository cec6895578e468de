import { setTimeout as delay } from 'node:timers/promises'

import { stopwatch } from './stopwatch.js'

/** Stays a real one while a test holds the timers. */
const realDelay = delay
const LOOK_AGAIN_MS = 5
const WITHIN_MS = 60_000

/** Resolves with the answer as soon as something is so; rejects, and says what was not, where it takes longer than it may. */
export async function eventually<Answer>(
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
  withinMs = WITHIN_MS
): Promise<Answer> {
  const took = stopwatch()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) {
      return answer
    }
    if (took() > withinMs) {
      throw new Error(`Still not so after ${withinMs} ms: ${ask}`)
    }
    await realDelay(LOOK_AGAIN_MS)
  }
}
