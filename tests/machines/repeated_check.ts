import { setTimeout as delay } from 'node:timers/promises'

import type { Home } from '#tests/services/servers/home'

/** As often as the timers of the example. */
const CHECK_EVERY_MS = 10_000

interface Check {
  /** A file of the example in the home of its server. */
  readonly script: string
  readonly interpreter: string
  readonly home: Home
  /** What its unit does when the check fails. */
  readonly onFailure?: () => void
}

/** Runs a check of the example as its timer does, until this process ends. */
export async function checkRepeatedly({ script, interpreter, home, onFailure }: Check) {
  for (;;) {
    await delay(CHECK_EVERY_MS, undefined, { ref: false })
    await home.run(interpreter, [script]).catch(({ code }: { code: unknown }) => {
      if (code === 1) {
        onFailure?.()
      }
    })
  }
}
