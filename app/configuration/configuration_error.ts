/** One thing to repair, in words that never hold the value of a secret. */
export interface Mistake {
  readonly name: string
  readonly problem: string
  readonly allowed: string
}

/** Says why a text is not acceptable. Readers throw it; it becomes one line of the report. */
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

/** Everything that is wrong with the configuration at once, so that one start is enough to repair it. */
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
