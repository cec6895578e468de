/** Why nothing was started, in one sentence for the person at the terminal. */
export class Failure extends Error {
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Progress goes to standard error: standard output belongs to the program that is started. */
export function say(text) {
  process.stderr.write(`${text}\n`)
}
