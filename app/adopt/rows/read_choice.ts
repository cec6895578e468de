import { isEmptyValue } from './empty_value.js'
import { UnreadableValue } from './unreadable_value.js'

const QUOTED = /^"(.*)"$/s

/** One of a closed set, also where it stands in quotes, among blanks or in other letters; null where none was chosen. */
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
