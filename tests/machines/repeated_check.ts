import { setTimeout as delay } from 'node:timers/promises'

import type { Home } from '#tests/services/servers/home'
import { exampleFor } from './example.js'
import type { Host } from './network.js'

/** As often as the timers of the example. */
const CHECK_EVERY_MS = 10_000

interface Check {
  /** The file of the example. */
  readonly file: string
  readonly interpreter: string
  readonly host: Host
  readonly home: Home
  /** What its unit does when the check fails. */
  readonly onFailure?: () => void
}

/** Runs a check of the example as its timer does, until this process ends. */
export async function checkRepeatedly(check: Check): Promise<void> {
  const { file, interpreter, host, home, onFailure } = check
  const script = await home.write(file, await exampleFor(file, { host: host.name, password: '' }))
  for (;;) {
    await delay(CHECK_EVERY_MS, undefined, { ref: false })
    await home.run(interpreter, [script]).catch(({ code }: { code: unknown }) => {
      if (code === 1) {
        onFailure?.()
      }
    })
  }
}
