/** Why nothing was started, in one sentence. */
export class Failure extends Error {
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Prints progress to standard error, since standard output belongs to the program. */
export function report(text) {
  process.stderr.write(`${text}\n`)
}
