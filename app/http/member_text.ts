import { endOfString } from './json_content.js'

const BLANKS = /[ \t\n\r]*/y
const PLAIN = /[^ \t\n\r,}\]]*/y

/**
 * The text of an attribute of a JSON object, as it stands in that of the object, which was parsed before. Of several with the
 * same name it is the last, as for `JSON.parse`.
 */
export function memberText(text: string, name: string): string | undefined {
  let found: string | undefined
  let at = past(BLANKS, text, text.indexOf('{') + 1)
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at) + 1
    const colon = past(BLANKS, text, keyEnd)
    const start = past(BLANKS, text, colon + 1)
    const end = endOfValue(text, start)
    if (JSON.parse(text.slice(at, keyEnd)) === name) {
      found = text.slice(start, end)
    }
    const comma = past(BLANKS, text, end)
    at = text[comma] === ',' ? past(BLANKS, text, comma + 1) : text.length
  }
  return found
}

function endOfValue(text: string, start: number): number {
  switch (text[start]) {
    case '"':
      return endOfString(text, start) + 1
    case '{':
    case '[':
      return endOfNested(text, start)
    default:
      return past(PLAIN, text, start)
  }
}

function endOfNested(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      at = endOfString(text, at)
    } else if (character === '{' || character === '[') {
      depth += 1
    } else if ((character === '}' || character === ']') && --depth === 0) {
      return at + 1
    }
  }
  return text.length
}

/** Where that ends which begins at `at`. */
function past(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at
  sticky.test(text)
  return sticky.lastIndex
}
