import { CommanderError } from 'commander'

import { EXIT, type ExitCode } from './exit_codes.js'
import { printable } from '#hubctl/output/printable'
import { styled } from '#hubctl/output/styled'
import { wrapForStream } from '#hubctl/output/wrap'
import { unusableAnswer } from '#hubctl/platform/unusable_answer'
import { Problem } from './problem.js'
import { hubctl } from './program.js'

const ERROR = 'Error:'

/** Runs hubctl. Errors are printed with advice and set the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  endQuietly()
  try {
    await hubctl().parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = codeOf(error)
  }
}

function codeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? EXIT.done : EXIT.usage
  }
  const problem = unusableAnswer(error)
  if (problem instanceof Problem) {
    printError(problem.message, problem.advice)
    return problem.exitCode
  }
  const advice = process.env.HUBCTL_DEBUG ? [] : ['HUBCTL_DEBUG=1 shows the stack trace.']
  printError((error as Error).message, advice)
  if (process.env.HUBCTL_DEBUG) {
    console.error(error)
  }
  return EXIT.failed
}

function printError(message: string, advice: readonly string[]): void {
  const { stderr } = process
  stderr.write(
    `${styled('red', ERROR, stderr)} ${wrapForStream(printable(message), stderr, ERROR.length + 1)}\n`
  )
  advice.forEach((line) => stderr.write(`  ${wrapForStream(printable(line), stderr, 2)}\n`))
}

/** A reader such as `head` may close the pipe, and Ctrl-C may end the process; neither is an error. */
function endQuietly(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed)
  })
  process.once('SIGINT', () => process.exit(EXIT.interrupted))
}
