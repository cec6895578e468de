import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'

/** Timers that are set from now on go off only when a test says that their time has come. */
export function holdTimers() {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  // Those who import a timer by its name see the held one, too.
  syncBuiltinESMExports()
  return {
    /** Lets time pass, after what is under way has set its timers. */
    async pass(milliseconds: number): Promise<void> {
      await nextTurn()
      mock.timers.tick(milliseconds)
      await nextTurn()
    },
    release(): void {
      mock.timers.reset()
      syncBuiltinESMExports()
    },
  }
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))
