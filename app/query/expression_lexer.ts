/** A token of a filter expression. The `text` of a string excludes its quotes. */
export interface Token {
  readonly kind: 'word' | 'string' | 'mark' | 'end' | 'unknown'
  readonly text: string
}

const END: Token = { kind: 'end', text: '' }
const UNKNOWN: Token = { kind: 'unknown', text: '' }
const QUOTE = "'".charCodeAt(0)
const MARKS = new Set(['(', ')', ',', '.'])

/** Produces tokens lazily, so that a parser that stops early does not pay for the rest. */
export class Lexer {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  next(): Token {
    while (isBlank(this.#text[this.#at])) {
      this.#at++
    }
    const character = this.#text[this.#at]
    if (character === undefined) {
      return END
    }
    if (MARKS.has(character)) {
      this.#at++
      return { kind: 'mark', text: character }
    }
    if (character === "'") {
      return this.#string()
    }
    if (character === '$' || isWordCharacter(character)) {
      return this.#word()
    }
    return UNKNOWN
  }

  /** A word starts and ends with a letter, digit or underscore; hyphens are allowed in between. */
  #word(): Token {
    const start = this.#at
    do {
      this.#at++
    } while (isWordCharacter(this.#text[this.#at]) || this.#text[this.#at] === '-')
    const text = this.#text.slice(start, this.#at)
    return text.endsWith('-') ? UNKNOWN : { kind: 'word', text }
  }

  /** Quotes inside a string are doubled. */
  #string(): Token {
    const text = this.#text
    const start = this.#at + 1
    let doubled = false
    let end = start
    while (end < text.length) {
      if (text.charCodeAt(end) !== QUOTE) {
        end++
      } else if (text.charCodeAt(end + 1) === QUOTE) {
        doubled = true
        end += 2
      } else {
        break
      }
    }
    if (end >= text.length) {
      return UNKNOWN
    }
    this.#at = end + 1
    const quoted = text.slice(start, end)
    return { kind: 'string', text: doubled ? quoted.replaceAll("''", "'") : quoted }
  }
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r'
}

function isWordCharacter(character: string | undefined): boolean {
  if (character === undefined) {
    return false
  }
  return (
    (character >= 'a' && character <= 'z') ||
    (character >= 'A' && character <= 'Z') ||
    (character >= '0' && character <= '9') ||
    character === '_'
  )
}
