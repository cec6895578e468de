import { EXIT, type ExitCode } from './exit_codes.js'

/** A failure with an exit code and advice. */
export class Problem extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    readonly advice: readonly string[] = []
  ) {
    super(message)
  }
}

/** Invalid arguments or input. */
export class UsageProblem extends Problem {
  constructor(message: string, ...advice: string[]) {
    super(EXIT.usage, message, advice)
  }
}

/** There is no valid login. */
export class LoginProblem extends Problem {
  constructor(message: string, advice = 'Log in: hubctl login') {
    super(EXIT.login, message, [advice])
  }
}
