import { ageOf } from './age.js'
import { printable } from './printable.js'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

/** Formats a value for a table. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') {
    return '-'
  }
  if (typeof value === 'boolean') {
    return value ? 'yes' : 'no'
  }
  if (typeof value === 'string') {
    return TIME.test(value) ? ageOf(value) : printable(value)
  }
  return typeof value === 'object'
    ? printable(nameOf(value) ?? JSON.stringify(value))
    : String(value)
}

/** The name or id of a nested record. */
export function nameOf(value: unknown): string | undefined {
  const { name, id } = (value ?? {}) as { name?: unknown; id?: unknown }
  const words = name ?? id
  return typeof words === 'string' ? words : undefined
}
