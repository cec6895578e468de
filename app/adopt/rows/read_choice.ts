import { isEmptyValue } from './empty_value.js'
import { UnreadableValue } from './unreadable_value.js'

const QUOTED = /^"(.*)"$/s

/** Reads an enum value, ignoring quotes, blanks and case. Null if it is empty. */
export function readChoice(
  choices: ReadonlySet<string>,
  text: string
): string | null | UnreadableValue {
  const bare = text.trim().replace(QUOTED, '$1').trim()
  if (isEmptyValue(bare)) {
    return null
  }
  if (choices.has(bare)) {
    return bare
  }
  const folded = bare.toLowerCase()
  const chosen = [...choices].find((choice) => choice.toLowerCase() === folded)
  return chosen ?? new UnreadableValue(`is ${JSON.stringify(text.slice(0, 40))}`)
}
