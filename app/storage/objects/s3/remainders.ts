import type { ObjectAddress } from '#storage/objects/object_store'

/** No key of an object starts with a dot. */
const REMAINDER_PREFIX = '.rest/'

/**
 * Where the bytes are that an upload in parts has behind a part and that are too few for the next one. Each part has a place
 * of its own for them: what is behind a later one must not take that of an earlier one, which may still be gone on from.
 */
export function remainderAddress(
  { container, key }: ObjectAddress,
  behindPart: number
): ObjectAddress {
  return { container, key: `${remaindersOf(key)}${behindPart}` }
}

/** What the rests of an object start with, or those of all objects whose keys start so. */
export function remaindersWithin(prefix: string): string {
  return REMAINDER_PREFIX + prefix
}

export function remaindersOf(key: string): string {
  return `${REMAINDER_PREFIX}${key}/`
}

/** The key of the object that a rest belongs to; undefined for what is no rest. */
export function keyOfRemainder(name: string): string | undefined {
  return name.startsWith(REMAINDER_PREFIX)
    ? name.slice(REMAINDER_PREFIX.length, name.lastIndexOf('/'))
    : undefined
}
