import { flatten, isSet, namesOf, type Groups, type Source } from '#configuration/catalogue'

/** What an installation was told when its backup was made. */
export interface ConfigurationNote {
  readonly variables: Readonly<Record<string, string>>
  /** Names of variables that were set and whose values the backup does not have. */
  readonly secrets: readonly string[]
}

/** Notes what is set, and of secrets no more than that they are: an older name may stand for a secret and something else at once. */
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
