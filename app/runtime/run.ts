import { StartFailure } from '#runtime/start_failure'

export interface Running {
  stop(): Promise<void>
  reload?(): Promise<void>
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Ctrl-C reaches a process from the terminal and again from its parent; only a later second one is an order to hurry. */
const REPEATED_SIGNAL_MS = 1_000

/**
 * Runs a program until a signal ends it: starts it, stops it in order, and turns whatever goes wrong at the start into
 * one sentence and exit code 1.
 */
export async function run(start: () => Promise<Running>): Promise<void> {
  const stopping = stopRequested()
  let running: Running | undefined
  try {
    running = await Promise.race([start(), stopping.then(() => undefined)])
  } catch (error) {
    explain(error)
    process.exit(1)
  }
  if (running?.reload) {
    process.on('SIGHUP', () => void running.reload?.())
  }
  await stopping
  await running?.stop()
  process.exit(0)
}

function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    for (const signal of STOP_SIGNALS) {
      process.on(signal, () => {
        if (firstAt !== undefined && performance.now() - firstAt > REPEATED_SIGNAL_MS) {
          process.exit(130)
        }
        firstAt ??= performance.now()
        resolve()
      })
    }
  })
}

/** Errors with a code of their own were written to be read; anything else is shown whole. */
function explain(error: unknown): void {
  const isForPeople =
    error instanceof StartFailure || /^E_/.test((error as { code?: string }).code ?? '')
  console.error(isForPeople ? (error as Error).message : error)
}
