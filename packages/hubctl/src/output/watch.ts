import { setTimeout as pause } from 'node:timers/promises'

import { Problem, UsageProblem } from '#hubctl/problem'
import { printable } from './printable.js'
import { EXIT, type ExitCode } from '#hubctl/exit_codes'

const CLEAR = '\u001B[2J\u001B[H'

/** Runs an action once, or repeatedly with `--watch` until Ctrl-C. A connection error does not end the loop. */
export async function watch(
  everySeconds: number | undefined,
  show: () => Promise<ExitCode | void>
): Promise<ExitCode | void> {
  if (everySeconds === undefined) {
    return show()
  }
  for (;;) {
    if (process.stdout.isTTY) {
      process.stdout.write(CLEAR)
    }
    await show().catch(reportUnreachable)
    await pause(everySeconds * 1000)
  }
}

function reportUnreachable(error: unknown): void {
  if (!(error instanceof Problem) || error.exitCode !== EXIT.unreachable) {
    throw error
  }
  process.stderr.write(`${printable(error.message)}\n`)
}

/** The interval of `--watch` in seconds; two without a number. */
export function parseInterval(value: string | boolean | undefined): number | undefined {
  if (value === undefined || value === false) {
    return undefined
  }
  const seconds = value === true ? 2 : Number(value)
  if (!(seconds >= 0.5 && seconds <= 3600)) {
    throw new UsageProblem(`--watch takes seconds from 0.5 to 3600, not "${value}".`)
  }
  return seconds
}
