import { inspect } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'

import { membership } from '#runtime/pool/membership'
import { StartFailure } from '#kernel/start_failure'

export interface Running {
  stop(): Promise<void>
  /** What a hang-up signal asks for; it ends a program that has none. */
  reload?(): Promise<void>
}

/** Ctrl-C reaches a process from the terminal and again from its parent; only a later second one is an order to hurry. */
const REPEATED_SIGNAL_MS = 1_000

/** How long a start that is not wanted any more may go on to its end, from where it is undone in order. */
const CANCELLED_START_MS = 5_000

/**
 * Runs a program until a signal ends it, or its pool is gone: starts it, stops it in order, and turns whatever goes wrong
 * at the start into one sentence and exit code 1.
 */
export async function run(start: () => Promise<Running>, { reloads = false } = {}): Promise<never> {
  let running: Running | undefined
  if (reloads || membership) {
    process.on('SIGHUP', () => void running?.reload?.())
  }
  let isCancelled = false
  const stopping = stopRequested(reloads || membership ? [] : ['SIGHUP'])
  void stopping.then(() => (isCancelled = true))
  try {
    running = await Promise.race([
      start(),
      stopping.then(() => delay(CANCELLED_START_MS, undefined)),
    ])
  } catch (error) {
    // What Ctrl-C ended beside us is no failure to report.
    if (!isCancelled) {
      await explain(error)
      process.exit(1)
    }
  }
  await stopping
  await running?.stop()
  process.exit(0)
}

function stopRequested(furtherSignals: readonly NodeJS.Signals[]): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    let firstAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM', ...furtherSignals] as const) {
      process.on(signal, () => {
        if (firstAt !== undefined && performance.now() - firstAt > REPEATED_SIGNAL_MS) {
          process.exit(130)
        }
        firstAt ??= performance.now()
        resolve()
      })
    }
  })
  return membership ? Promise.race([signalled, membership.over]) : signalled
}

/** Errors with a code of their own were written to be read; anything else is shown whole. */
async function explain(error: unknown): Promise<void> {
  const isForPeople =
    error instanceof StartFailure || /^E_/.test((error as { code?: string }).code ?? '')
  const text = isForPeople ? (error as Error).message : inspect(error)
  await (membership ? membership.fail(text) : console.error(text))
}
