import type { Catalogue, Facts, Groups, Source, Values, Variable, Variables } from './catalogue.js'
import { describeAllowed, flatten, isSet, namesOf } from './catalogue.js'
import { misspellings } from './misspellings.js'
import { fileVariable, readSecretFiles } from './secret_files.js'
import { urlsByHost } from './urls_by_host.js'
import { ConfigurationError, InvalidValueError, type Mistake } from './configuration_error.js'

/** A valid configuration. */
export interface Configuration<V> {
  readonly values: V
  readonly warnings: readonly string[]
  /** The variables whose secret is readable in the environment, instead of in a file. */
  readonly secretsInEnvironment: readonly string[]
}

/** Reads all variables of the catalogue, or throws one `ConfigurationError` with all mistakes. */
export function readConfiguration<G extends Groups>(
  catalogue: Catalogue<G>,
  source: Source
): Configuration<Values<G>> {
  const reading = new Reading(flatten(catalogue.groups), source)
  const facts = reading.facts<Values<G>>()
  const mistakes = [...reading.mistakes, ...catalogue.rules.flatMap((rule) => rule(facts))]
  const hints = misspellings(source, reading.knownNames)
  if (mistakes.length > 0) {
    throw new ConfigurationError(mistakes, hints)
  }
  return {
    values: facts.values,
    warnings: Object.freeze([
      ...hints,
      ...catalogue.warningRules.flatMap((caution) => caution(facts)),
    ]),
    secretsInEnvironment: Object.freeze(reading.secretsInEnvironment),
  }
}

class Reading {
  readonly #variables: Variables
  readonly #source: Source
  readonly #fromFiles: ReadonlySet<string>
  readonly #values: Record<string, unknown> = {}
  readonly #texts = new Map<string, string>()
  readonly #givenNames = new Set<string>()
  readonly #mistakes = new Map<string, Mistake>()

  constructor(variables: Variables, source: Source) {
    const files = readSecretFiles(variables, source)
    this.#variables = variables
    this.#source = files.source
    this.#fromFiles = files.names
    files.names.forEach((name) => this.#givenNames.add(name))
    files.mistakes.forEach((mistake) => this.#report(mistake))
    for (const [name, variable] of Object.entries(variables)) {
      this.#readText(name, variable)
    }
    for (const [name, variable] of Object.entries(variables)) {
      this.#readDefault(name, variable)
    }
    Object.values(this.#values).forEach(Object.freeze)
    Object.freeze(this.#values)
  }

  get mistakes(): readonly Mistake[] {
    return [...this.#mistakes.values()]
  }

  get knownNames(): string[] {
    return Object.entries(this.#variables).flatMap(([name, variable]) => [
      ...namesOf(name, variable),
      ...(variable.secret ? [fileVariable(name)] : []),
    ])
  }

  get secretsInEnvironment(): string[] {
    return Object.keys(this.#variables).filter(
      (name) =>
        this.#variables[name]?.secret &&
        !this.#fromFiles.has(name) &&
        !this.#asksForDefault(name) &&
        containsSecret(this.#texts.get(name) ?? '')
    )
  }

  facts<V>(): Facts<V> {
    return {
      values: this.#values as V,
      variables: this.#variables,
      isGiven: (...names) => names.every((name) => this.#givenNames.has(name)),
      isOverridden: (name) => this.#givenNames.has(name) && !this.#asksForDefault(name),
      text: (name) => this.#texts.get(name),
    }
  }

  // A variable with an invalid alias counts as set, so that it is not reported as missing as well.
  #readText(name: string, variable: Variable): void {
    const attempt = this.#attempt(name, variable, () => this.#find(name, variable))
    const match = attempt?.value
    if (!attempt || match) {
      this.#givenNames.add(name)
    }
    if (!match) {
      return
    }
    const { text, from } = match
    this.#texts.set(name, text)
    if (this.#asksForDefault(name)) {
      return
    }
    const quote = variable.secret || !variable.reader.quotable ? '' : `${shortened(text)} `
    this.#values[name] = this.#attempt(
      from,
      variable,
      () => variable.reader.read(text),
      quote
    )?.value
  }

  // The default replaces an invalid text, so that the rules see plausible values.
  #readDefault(name: string, variable: Variable): void {
    if (this.#values[name] !== undefined) {
      return
    }
    const { default: fallback } = variable
    const text = typeof fallback === 'object' ? fallback.text(this.#values as never) : fallback
    const quote =
      typeof fallback === 'object' ? `its default, ${fallback.description}, ` : 'its default '
    this.#values[name] =
      text === undefined
        ? undefined
        : this.#attempt(name, variable, () => variable.reader.read(text), quote)?.value
  }

  #asksForDefault(name: string): boolean {
    const word = this.#variables[name]?.defaultKeyword
    return word !== undefined && this.#texts.get(name)?.trim().toLowerCase() === word
  }

  #find(name: string, variable: Variable): { text: string; from: string } | undefined {
    if (isSet(this.#source, name)) {
      return { text: this.#source[name] ?? '', from: name }
    }
    for (const alias of variable.aliases ?? []) {
      const { names, text } = typeof alias === 'string' ? plainAlias(alias) : alias
      const match = text(this.#source)
      if (match !== undefined && match.trim() !== '') {
        return { text: match, from: names[0] ?? name }
      }
    }
    return undefined
  }

  #attempt<T>(
    name: string,
    variable: Variable,
    read: () => T,
    quote = ''
  ): { value: T } | undefined {
    try {
      return { value: read() }
    } catch (error) {
      if (!(error instanceof InvalidValueError)) {
        throw error
      }
      const mistake = {
        name: error.subject ?? name,
        problem: `${quote}${error.message}`,
        allowed: error.allowed ?? `allowed: ${describeAllowed(variable)}`,
      }
      this.#report(mistake)
      return undefined
    }
  }

  #report(mistake: Mistake): void {
    this.#mistakes.set(`${mistake.name} ${mistake.problem}`, mistake)
  }
}

/** An address is a secret only if it contains a password. */
function containsSecret(text: string): boolean {
  const url = text.includes('://') ? URL.parse(urlsByHost(text)[0]!) : null
  return url ? url.password !== '' : text.trim() !== ''
}

function plainAlias(name: string) {
  return { names: [name], text: (source: Source) => source[name] }
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
