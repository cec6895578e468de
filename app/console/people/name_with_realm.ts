import { shellWord } from '#console/shell_word'

/** How commands name an account, whose name is unique only within its realm. */
export const nameWithRealm = ({
  name,
  realm,
}: {
  readonly name: string
  readonly realm?: { readonly name: string } | null
}): string => (realm ? `${shellWord(name)} --realm ${shellWord(realm.name)}` : shellWord(name))
