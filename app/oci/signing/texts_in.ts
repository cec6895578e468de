import { isObject } from '#oci/manifest'

/** The entries of something foreign whose values are texts. */
export function textsIn(said: unknown): Record<string, string> {
  const entries = isObject(said) ? Object.entries(said) : []
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  )
}
