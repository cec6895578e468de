import { hubNode } from './program.js'

/** Runs the command line. Errors are printed and set the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    await hubNode().parseAsync(args, { from: 'user' })
  } catch (error) {
    process.stderr.write(`Error: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
