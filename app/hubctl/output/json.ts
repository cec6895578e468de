import { escapedJson } from './printable.js'

/** JSON over several lines, for people and programs. */
export function jsonOf(value: unknown): string {
  return escapedJson(JSON.stringify(value, null, 2))
}

/** JSON on one line, for what comes one after the other. */
export function jsonLine(value: unknown): string {
  return escapedJson(JSON.stringify(value))
}
