/** What steers a terminal, or turns the direction of a text: C0, DEL, C1, and all that is there for formatting. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu
const REPLACEMENT = '\uFFFD'

/** What others wrote must not steer the terminal: control characters become visible ones. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, (character) =>
    character === '\n' || character === '\t' ? ' ' : REPLACEMENT
  )
}

/** As `shown`, for a text whose lines and tabs stay. */
export function printableLines(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, (character) =>
    character === '\n' || character === '\t' ? character : REPLACEMENT
  )
}

/** Colours are the only sequences that we write ourselves. */
const STYLE = new RegExp(String.raw`(\u001B\[[\d;]*m)`)

/** A line that may have colours of ours in it, and nothing else that steers a terminal. */
export function styledLines(text: string): string {
  return text
    .split(STYLE)
    .map((part, index) => (index % 2 === 1 ? part : printableLines(part)))
    .join('')
}

/** JSON whose texts have their control characters escaped, so that it says the same and steers nothing. */
export function escapedJson(json: string): string {
  return json.replaceAll(CONTROL_CHARACTERS, (character) =>
    character === '\n' || character === '\t' ? character : jsonEscape(character)
  )
}

/** A character as the escapes that JSON has for its units. */
function jsonEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  ).join('')
}

/** Whether a text has characters in it that must be escaped where they are shown. */
export function hasControlCharacters(text: string): boolean {
  return printableLines(text) !== text
}
