/** One mistake in the configuration; never contains the value of a secret. */
export interface Mistake {
  readonly name: string
  readonly problem: string
  readonly allowed: string
}

/** Thrown by readers for an invalid text; becomes one line of the report. */
export class InvalidValueError extends Error {
  static code = 'E_CONFIGURATION_VALUE'
  code = InvalidValueError.code
  readonly subject: string | undefined
  readonly allowed: string | undefined

  constructor(problem: string, options: { subject?: string; allowed?: string } = {}) {
    super(problem)
    this.subject = options.subject
    this.allowed = options.allowed
  }
}

/** Reports all mistakes of the configuration at once. */
export class ConfigurationError extends Error {
  static code = 'E_CONFIGURATION'
  code = ConfigurationError.code
  readonly mistakes: readonly Mistake[]

  constructor(mistakes: readonly Mistake[], hints: readonly string[] = []) {
    super(render(mistakes, hints))
    this.name = 'ConfigurationError'
    this.mistakes = mistakes
  }
}

function render(mistakes: readonly Mistake[], hints: readonly string[]): string {
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
  return [
    `The configuration has ${count}:`,
    ...mistakes.map(({ name, problem, allowed }) => `- ${name}: ${problem}; ${allowed}`),
    ...hints.map((hint) => `- ${hint}`),
    'Every variable is described in docs/configuration.md.',
  ].join('\n')
}
