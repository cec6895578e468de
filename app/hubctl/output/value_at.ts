import type { Fields } from '#hubctl/platform/pages'

/** An attribute of a record; `node.name` is one of a record within the record. */
export function valueAt(record: Fields, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((value, key) => (value as Fields | null | undefined)?.[key], record)
}

/** Whether a record has an attribute of that name, or of its first part. */
export function hasAttribute(record: Fields, name: string): boolean {
  return Object.hasOwn(record, name.split('.')[0]!)
}
