import { inspect } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'

import { membership } from '#runtime/pool/membership'
import { StartFailure } from '#kernel/start_failure'

export interface Running {
  /** Comes before `stop` after SIGTERM, the signal of supervisors. A user at a terminal need not wait for balancers. */
  announceStop?(): Promise<void>
  stop(): Promise<void>
  /** Handles SIGHUP; without it the signal ends the program. */
  reload?(): Promise<void>
}

/** Ctrl-C may arrive twice, from the terminal and from the parent; only a later repetition forces the exit. */
const REPEATED_SIGNAL_MS = 1_000

/** Time for a cancelled start to complete, so that it can be stopped in order. */
const CANCELLED_START_MS = 5_000

/** Runs a program until a signal or the end of its pool. A failed start prints one message and exits with code 1. */
export async function run(start: () => Promise<Running>, { reloads = false } = {}): Promise<never> {
  let running: Running | undefined
  const handlesHangup = reloads || membership() !== undefined
  if (handlesHangup) {
    process.on('SIGHUP', () => void running?.reload?.())
  }
  let isCancelled = false
  const stopping = stopRequested(handlesHangup ? [] : ['SIGHUP'])
  void stopping.then(() => (isCancelled = true))
  try {
    running = await Promise.race([
      start(),
      stopping.then(() => delay(CANCELLED_START_MS, undefined)),
    ])
  } catch (error) {
    // Errors after Ctrl-C are not reported: the signal may have ended a dependency.
    if (!isCancelled) {
      await explain(error)
      process.exit(1)
    }
  }
  const signal = await stopping
  if (signal === 'SIGINT' && !membership()) {
    console.log('Stopping. Ctrl-C again ends it at once.')
  }
  if (signal === 'SIGTERM') {
    await running?.announceStop?.()
  }
  await running?.stop()
  process.exit(0)
}

/** Resolves to the signal, or to nothing at the end of the pool. */
function stopRequested(
  furtherSignals: readonly NodeJS.Signals[]
): Promise<NodeJS.Signals | undefined> {
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    let firstAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM', ...furtherSignals] as const) {
      process.on(signal, () => {
        if (firstAt !== undefined && performance.now() - firstAt > REPEATED_SIGNAL_MS) {
          process.exit(130)
        }
        firstAt ??= performance.now()
        resolve(signal)
      })
    }
  })
  const pool = membership()
  return pool ? Promise.race([signalled, pool.over.then(() => undefined)]) : signalled
}

/** Errors with an own code print their message; others are printed with their stack. */
async function explain(error: unknown): Promise<void> {
  const isForPeople =
    error instanceof StartFailure || /^E_/.test((error as { code?: string }).code ?? '')
  const text = isForPeople ? (error as Error).message : inspect(error)
  await (membership()?.fail(text) ?? console.error(text))
}
