import { isObject } from '#oci/manifest'

/** The entries of an untrusted object whose values are strings. */
export function stringEntries(value: unknown): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value) : []
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  )
}
