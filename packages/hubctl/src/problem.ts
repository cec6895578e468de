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

/** Commands for which a context means nothing, or that name another one. */
const WITHOUT_CONTEXT = /^(login|context|sandbox|version|completion|--)/

/** The commands in a text, with the context in which they are meant. */
export const inContext = (text: string, context: string | undefined): string =>
  context === undefined
    ? text
    : text.replaceAll(/(?<=^\s*|[:;,] |\()hubctl (?=([a-z-]+))/g, (found, command: string) =>
        WITHOUT_CONTEXT.test(command) ? found : `hubctl --context ${context} `
      )

/** Does something in a context that is not the current one: the advice of a problem names it. */
export async function namingContext<T>(
  context: string | undefined,
  act: () => Promise<T>
): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Problem && context !== undefined) {
      const { exitCode, message, advice } = error
      throw Object.assign(
        new Problem(
          exitCode,
          inContext(message, context),
          advice.map((line) => inContext(line, context))
        ),
        { cause: error }
      )
    }
    throw error
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
