import { isNone } from './none.js'
import { Unreadable } from './unreadable.js'

const QUOTED = /^"(.*)"$/s

/** One of a closed set, also where it stands in quotes, among blanks or in other letters; null where none was chosen. */
export function readChoice(choices: ReadonlySet<string>, text: string): string | null | Unreadable {
  const bare = text.trim().replace(QUOTED, '$1').trim()
  if (isNone(bare)) {
    return null
  }
  if (choices.has(bare)) {
    return bare
  }
  const folded = bare.toLowerCase()
  const chosen = [...choices].find((choice) => choice.toLowerCase() === folded)
  return chosen ?? new Unreadable(`is ${JSON.stringify(text.slice(0, 40))}`)
}
