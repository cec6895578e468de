import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'

/** Limits of JSON bodies: nesting depth, and keys per object. */
export const MAX_DEPTH = 64
export const MAX_KEYS = 1_000

const QUOTE = '"'.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)
const COLON = ':'.charCodeAt(0)
const OPENING = new Set(['{', '['].map((character) => character.charCodeAt(0)))
const CLOSING = new Set(['}', ']'].map((character) => character.charCodeAt(0)))

/** Escapes may produce lone surrogates or the name `__proto__`. */
const ESCAPE = '\\u'
const SURROGATE = /\\ud[89a-f]/i
const INHERITED = '__proto__'

/** Parses JSON. Rejects excessive nesting and objects with too many keys before parsing. */
export function parseJson(text: string): unknown {
  requireWithinLimits(text)
  const isEscaped = text.includes(ESCAPE)
  const value = parseText(text, isEscaped || text.includes(INHERITED))
  if (isEscaped && SURROGATE.test(text)) {
    requireText(value, [])
  }
  return value
}

function parseText(text: string, mayInherit: boolean): unknown {
  try {
    return mayInherit ? JSON.parse(text, withoutInherited) : JSON.parse(text)
  } catch (error) {
    throw new BadRequest('The body is not well-formed JSON', { cause: error })
  }
}

function withoutInherited(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}

/** Counts keys and levels in one pass. Syntax errors are left to the parser. */
function requireWithinLimits(text: string): void {
  if (text.length <= MAX_DEPTH) {
    return
  }
  const keys: number[] = [0]
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) {
      at = endOfString(text, at)
    } else if (character === COLON) {
      if (++keys[keys.length - 1]! > MAX_KEYS) {
        throw tooManyKeys()
      }
    } else if (OPENING.has(character)) {
      if (keys.push(0) > MAX_DEPTH + 1) {
        throw tooDeep()
      }
    } else if (CLOSING.has(character) && keys.length > 1) {
      keys.pop()
    }
  }
}

/** The end of the string whose opening quote is at `start`. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscapedAt(text, end)) {
    end = text.indexOf('"', end + 1)
  }
  return end === -1 ? text.length : end
}

function isEscapedAt(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === BACKSLASH) {
    before--
  }
  return (at - 1 - before) % 2 === 1
}

function requireText(value: unknown, path: readonly string[]): void {
  if (typeof value === 'string') {
    requireWellFormed(value, path)
  } else if (Array.isArray(value)) {
    value.forEach((item) => requireText(item, path))
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, content] of Object.entries(value)) {
      const below = [...path, key.toWellFormed()]
      requireWellFormed(key, below)
      requireText(content, below)
    }
  }
}

function requireWellFormed(text: string, path: readonly string[]): void {
  if (!text.isWellFormed()) {
    throw invalidBody('The body contains a lone surrogate, which is not a valid character', path)
  }
}

export const tooManyKeys = () => invalidBody(`An object may have ${MAX_KEYS} keys at most`)
export const tooDeep = () => invalidBody(`Values may be nested ${MAX_DEPTH} levels deep at most`)

function invalidBody(message: string, path: readonly string[] = []): BadRequest {
  return new BadRequest(message, { issues: [issue('value_invalid', path, message)] })
}
