import { CONTROL_CHARACTERS, REPLACEMENT } from '#kernel/control_characters'

/** Replaces control characters in untrusted text, so that it cannot control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, (character) =>
    character === '\n' || character === '\t' ? ' ' : REPLACEMENT
  )
}

/** Like `printable`, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, (character) =>
    character === '\n' || character === '\t' ? character : REPLACEMENT
  )
}

/** Like `printableLines`, but shows which characters there are: whoever reads code decides about all of it. */
export function escapedLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROL_CHARACTERS, (character) =>
      character === '\n' || character === '\t'
        ? character
        : `\\u{${character.codePointAt(0)!.toString(16)}}`
    )
}

/** Our own output contains no escape sequences other than colours. */
const STYLE = new RegExp(String.raw`(\u001B\[[\d;]*m)`)

/** Replaces control characters except our own colours. */
export function styledLines(text: string): string {
  return text
    .split(STYLE)
    .map((part, index) => (index % 2 === 1 ? part : printableLines(part)))
    .join('')
}

/** Escapes control characters in JSON; the parsed value stays the same. */
export function escapedJson(json: string): string {
  return json.replaceAll(CONTROL_CHARACTERS, (character) =>
    character === '\n' || character === '\t' ? character : jsonEscape(character)
  )
}

/** The JSON escape sequences of a character, one per UTF-16 unit. */
function jsonEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  ).join('')
}

/** Whether a text contains characters that must be escaped. */
export function hasControlCharacters(text: string): boolean {
  return printableLines(text) !== text
}
