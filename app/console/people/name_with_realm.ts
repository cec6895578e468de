import { shellWord } from '#console/shell_word'

/** The name of an account in commands, with its realm, since names are unique only within a realm. */
export const nameWithRealm = ({
  name,
  realm,
}: {
  readonly name: string
  readonly realm?: { readonly name: string } | null
}): string => (realm ? `${shellWord(name)} --realm ${shellWord(realm.name)}` : shellWord(name))
