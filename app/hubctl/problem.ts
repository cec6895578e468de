import { EXIT, type ExitCode } from './exit_codes.js'

/** Why a command could not do what it was asked for, and what its reader does next. */
export class Problem extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    readonly advice: readonly string[] = []
  ) {
    super(message)
  }
}

/** The command was given something that it does not understand. */
export class UsageProblem extends Problem {
  constructor(message: string, ...advice: string[]) {
    super(EXIT.usage, message, advice)
  }
}

/** Nobody is logged in, or not any more. */
export class LoginProblem extends Problem {
  constructor(message: string, advice = 'Log in: hubctl login') {
    super(EXIT.login, message, [advice])
  }
}
