import { endOfString } from './json_content.js'

const PLAIN = /[^ \t\n\r,}\]]*/y
const BLANKS = new Set([...' \t\n\r'].map((blank) => blank.charCodeAt(0)))

/**
 * The source texts of the attributes of a JSON object that was parsed before. As with `JSON.parse`, the last of
 * duplicate names counts.
 */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>()
  let at = skipBlanks(text, text.indexOf('{') + 1)
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at) + 1
    const colon = skipBlanks(text, keyEnd)
    const start = skipBlanks(text, colon + 1)
    const end = endOfValue(text, start)
    members.set(nameIn(text.slice(at, keyEnd)), text.slice(start, end))
    const comma = skipBlanks(text, end)
    at = text[comma] === ',' ? skipBlanks(text, comma + 1) : text.length
  }
  return members
}

function nameIn(quoted: string): string {
  return quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
}

function endOfValue(text: string, start: number): number {
  switch (text[start]) {
    case '"':
      return endOfString(text, start) + 1
    case '{':
    case '[':
      return endOfNested(text, start)
    default:
      return skipPlain(text, start)
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

function skipBlanks(text: string, start: number): number {
  let at = start
  while (BLANKS.has(text.charCodeAt(at))) {
    at += 1
  }
  return at
}

function skipPlain(text: string, start: number): number {
  PLAIN.lastIndex = start
  PLAIN.test(text)
  return PLAIN.lastIndex
}
