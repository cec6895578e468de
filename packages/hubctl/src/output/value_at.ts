import type { Fields } from '#hubctl/platform/pages'

/** The value of an attribute; `node.name` reads a nested record. */
export function valueAt(record: Fields, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, key) => (value as Fields | null | undefined)?.[key], record)
}

/** Whether a record has the attribute, or the first part of its path. */
export function hasAttribute(record: Fields, name: string): boolean {
  return Object.hasOwn(record, name.split('.')[0]!)
}
