import { flatten, isSet, namesOf, type Groups, type Source } from '#configuration/catalogue'

/** The configuration of an installation at the time of its backup. */
export interface ConfigurationNote {
  readonly variables: Readonly<Record<string, string>>
  /** Names of secret variables that were set. Their values are not in the backup. */
  readonly secrets: readonly string[]
}

/** Records the variables that are set, but only the names of secrets. An alias may be shared with a secret. */
export function configurationNote(groups: Groups, source: Source): ConfigurationNote {
  const variables = Object.entries(flatten(groups))
  const configured = variables
    .flatMap(([name, variable]) => namesOf(name, variable))
    .filter((name) => isSet(source, name))
  const secret = new Set(
    variables.flatMap(([name, variable]) => (variable.secret ? namesOf(name, variable) : []))
  )
  const [secrets, others] = [
    new Set(configured).intersection(secret),
    new Set(configured).difference(secret),
  ]
  return {
    variables: Object.fromEntries([...others].map((name) => [name, source[name]!])),
    secrets: [...secrets],
  }
}
