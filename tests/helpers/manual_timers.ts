import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'

import { clock, overrideClock } from '#kernel/clock'

/** Timers of one step go off together, at its end. */
const STEP_MS = 50

let passedMs = 0

/**
 * Timers that are set during the work go off only when it says that their time has come, and `performance.now` shows
 * the time that it let pass, as the clock does. It has to end before the test does: the runner clears its own timer then.
 */
export async function withManualTimers(
  work: (pass: (milliseconds: number) => Promise<void>) => Promise<void>
): Promise<void> {
  const now = performance.now()
  passedMs = 0
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const performanceNow = mock.method(performance, 'now', () => now + passedMs)
  const startedAt = clock.now()
  const releaseClock = overrideClock({ now: () => startedAt + passedMs })
  // Modules that import a timer by its name see the held one, too.
  syncBuiltinESMExports()
  try {
    await work(pass)
  } finally {
    mock.timers.reset()
    performanceNow.mock.restore()
    releaseClock()
    syncBuiltinESMExports()
  }
}

/** Lets time pass once what is under way has set its timers, and lets those continue who waited for it. */
async function pass(milliseconds: number): Promise<void> {
  await nextTurn()
  for (let left = milliseconds; left > 0; left -= STEP_MS) {
    const step = Math.min(left, STEP_MS)
    passedMs += step
    mock.timers.tick(step)
  }
  await nextTurn()
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))
