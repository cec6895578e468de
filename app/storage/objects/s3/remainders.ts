import type { ObjectAddress } from '#storage/objects/object_store'

/** Keys of objects never start with a dot. */
const REMAINDER_PREFIX = '.rest/'

/**
 * The address of the bytes after the last part that are too few for another one. Each part has its own: the
 * remainder of a later state must not replace that of an earlier one, which may still be resumed.
 */
export function remainderAddress(
  { container, key }: ObjectAddress,
  behindPart: number
): ObjectAddress {
  return { container, key: `${remaindersOf(key)}${behindPart}` }
}

/** The prefix of remainders for objects with a key prefix. */
export function remaindersWithin(prefix: string): string {
  return REMAINDER_PREFIX + prefix
}

export function remaindersOf(key: string): string {
  return `${REMAINDER_PREFIX}${key}/`
}

/** The key of the object of a remainder; undefined for other names. */
export function keyOfRemainder(name: string): string | undefined {
  return name.startsWith(REMAINDER_PREFIX)
    ? name.slice(REMAINDER_PREFIX.length, name.lastIndexOf('/'))
    : undefined
}
