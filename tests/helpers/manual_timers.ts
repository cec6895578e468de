import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'

/**
 * Timers that are set during the work go off only when it says that their time has come. It has to end before the test
 * does: the runner clears its own timer then.
 */
export async function withManualTimers(
  work: (pass: (milliseconds: number) => Promise<void>) => Promise<void>
): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  // Modules that import a timer by its name see the held one, too.
  syncBuiltinESMExports()
  try {
    await work(pass)
  } finally {
    mock.timers.reset()
    syncBuiltinESMExports()
  }
}

/** Lets time pass once what is under way has set its timers, and lets those continue who waited for it. */
async function pass(milliseconds: number): Promise<void> {
  await nextTurn()
  mock.timers.tick(milliseconds)
  await nextTurn()
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))
