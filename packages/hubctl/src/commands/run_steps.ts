import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import type { Output } from '#hubctl/output/output'
import type { Fields } from '#hubctl/platform/pages'
import { Problem } from '#hubctl/problem'

/** The result of one step. */
export interface StepResult {
  readonly message: string
  readonly record?: Fields
}

/** One of several steps of a command. */
export interface Step {
  readonly name: string
  /** Resolves to undefined in a dry run. */
  readonly act: () => Promise<StepResult | undefined>
}

/**
 * Runs steps in order. A failed step is reported and the others still run; if all fail, the first error is thrown.
 */
export async function runSteps(
  output: Output,
  steps: readonly Step[],
  kind?: string
): Promise<ExitCode> {
  const failures: Error[] = []
  const records: Fields[] = []
  const areShownTogether = steps.length > 1 && !output.isTable
  for (const { name, act } of steps) {
    try {
      const result = await act()
      if (result?.record && areShownTogether) {
        records.push(result.record)
      } else if (result) {
        output.done(result.message, result.record, kind)
      }
    } catch (error) {
      if (!(error instanceof Error) || steps.length === 1 || isFatal(error)) {
        throw error
      }
      failures.push(error)
      output.problem(`${name}: ${textOf(error)}`)
    }
  }
  if (records.length > 0) {
    output.records(records, { kind: kind ?? 'record' })
  }
  if (failures.length === steps.length && failures[0]) {
    throw failures[0]
  }
  return failures.length > 0 ? EXIT.partly : EXIT.done
}

/** Without a login or a connection, no other step can succeed. */
function isFatal(error: Error): boolean {
  return (
    error instanceof Problem &&
    (error.exitCode === EXIT.login || error.exitCode === EXIT.unreachable)
  )
}

function textOf(error: Error): string {
  return error instanceof Problem ? [error.message, ...error.advice].join(' ') : error.message
}
