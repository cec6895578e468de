import { escapedJson } from './printable.js'

/** Indented JSON. */
export function jsonOf(value: unknown): string {
  return escapedJson(JSON.stringify(value, null, 2))
}

/** JSON on one line, for streams. */
export function jsonLine(value: unknown): string {
  return escapedJson(JSON.stringify(value))
}
