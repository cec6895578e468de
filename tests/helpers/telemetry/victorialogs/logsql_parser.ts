/** A part of a query of VictoriaLogs, as far as it was recorded. */
export type Node =
  | { kind: 'and' | 'or'; parts: Node[] }
  | { kind: 'not'; part: Node }
  | { kind: 'everything' }
  | { kind: 'stream'; fields: [string, string][] }
  | { kind: 'time'; op: string; first: string; second?: string; closing?: string }
  | { kind: Test; name: string; values: string[] }

export type Test =
  | 'equal'
  | 'startsWith'
  | 'in'
  | 'matches'
  | 'present'
  | 'absent'
  | 'between'
  | 'word'
  | 'wordStart'

export type Pipe =
  | { kind: 'sort'; by: { name: string; isDescending: boolean }[]; offset?: number; limit?: number }
  | { kind: 'count'; as: string; step?: string }
  | { kind: 'fields'; names: string[] }

export interface Query {
  filter: Node
  pipes: Pipe[]
}

/** What the parser does not know; the recordings have more of the language than the stand-in. */
export class NotSpoken extends Error {}

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\[^])*")|(`[^`]*`)|(>=|<=|!=|[(){}[\],:|=!~*<>])|([^\s"`(){}[\],:|=!~*<>]+))/y

interface Token {
  kind: 'text' | 'sign' | 'word'
  value: string
}

/** Reads a query, or throws `NotSpoken`. */
export function parseLogsql(text: string): Query {
  const parser = new Parser(tokensOf(text))
  return parser.query()
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text)
    if (!match) {
      throw new NotSpoken(text)
    }
    const [, quoted, raw, sign, word] = match
    if (quoted !== undefined) {
      tokens.push({ kind: 'text', value: unquoted(quoted) })
    } else if (raw !== undefined) {
      tokens.push({ kind: 'text', value: raw.slice(1, -1) })
    } else {
      tokens.push(sign ? { kind: 'sign', value: sign } : { kind: 'word', value: word! })
    }
  }
  return tokens
}

/** Go's escapes are those of JSON, and `\x00`. A line end that stands there as it is belongs to the text all the same. */
function unquoted(text: string): string {
  const escaped = text.replace(/\\x([0-9a-f]{2})/gi, '\\u00$1').replace(/\p{Cc}/gu, ' ')
  return JSON.parse(escaped)
}

class Parser {
  readonly #tokens: Token[]
  #at = 0

  constructor(tokens: Token[]) {
    this.#tokens = tokens
  }

  query(): Query {
    const filter = this.#or()
    const pipes: Pipe[] = []
    while (this.#takes('|')) {
      pipes.push(this.#pipe())
    }
    if (this.#at < this.#tokens.length) {
      throw new NotSpoken(this.#rest())
    }
    return { filter, pipes }
  }

  #or(): Node {
    const parts = [this.#and()]
    while (this.#takesWord('or')) {
      parts.push(this.#and())
    }
    return parts.length > 1 ? { kind: 'or', parts } : parts[0]!
  }

  #and(): Node {
    const parts = [this.#unary()]
    while (this.#takesWord('and') || this.#beginsOne()) {
      parts.push(this.#unary())
    }
    return parts.length > 1 ? { kind: 'and', parts } : parts[0]!
  }

  #beginsOne(): boolean {
    const next = this.#tokens[this.#at]
    return (
      next !== undefined &&
      !this.#isWord('or') &&
      !(next.kind === 'sign' && ')|]},'.includes(next.value))
    )
  }

  #unary(): Node {
    if (this.#takes('!') || this.#takesWord('not')) {
      return { kind: 'not', part: this.#unary() }
    }
    if (this.#takes('(')) {
      const inner = this.#or()
      this.#needs(')')
      return inner
    }
    if (this.#takes('{')) {
      return { kind: 'stream', fields: this.#streamFields() }
    }
    if (this.#takes('*')) {
      return { kind: 'everything' }
    }
    const name = this.#value()
    this.#needs(':')
    return name === '_time' ? this.#time() : this.#test(name)
  }

  #test(name: string): Node {
    if (this.#takes('!')) {
      return { kind: 'not', part: this.#test(name) }
    }
    if (this.#takes('!=')) {
      return { kind: 'not', part: { kind: 'equal', name, values: [this.#value()] } }
    }
    if (this.#takes('=')) {
      const values = [this.#value()]
      return { kind: this.#takes('*') ? 'startsWith' : 'equal', name, values }
    }
    if (this.#takes('~')) {
      return { kind: 'matches', name, values: [this.#value()] }
    }
    if (this.#takes('*')) {
      return { kind: 'present', name, values: [] }
    }
    const next = this.#tokens[this.#at]
    const value = this.#value()
    if (next?.kind === 'word' && this.#takes('(')) {
      return this.#called(name, value)
    }
    if (this.#takes('*')) {
      return { kind: 'wordStart', name, values: [value] }
    }
    return { kind: value === '' ? 'absent' : 'word', name, values: [value] }
  }

  #called(name: string, called: string): Node {
    const kinds: Record<string, Test> = { in: 'in', string_range: 'between' }
    const kind = kinds[called]
    if (!kind) {
      throw new NotSpoken(called)
    }
    const values: string[] = []
    while (!this.#takes(')')) {
      values.push(this.#value())
      this.#takes(',')
    }
    return { kind, name, values }
  }

  #time(): Node {
    for (const op of ['>=', '<=', '>', '<']) {
      if (this.#takes(op)) {
        return { kind: 'time', op, first: this.#moment() }
      }
    }
    const op = ['[', '('].find((sign) => this.#takes(sign))
    if (!op) {
      throw new NotSpoken(this.#rest())
    }
    const first = this.#moment()
    this.#needs(',')
    const second = this.#moment()
    const closing = this.#takes(']') ? ']' : ')'
    if (closing === ')') {
      this.#needs(')')
    }
    return { kind: 'time', op, first, second, closing }
  }

  /** Colons are signs everywhere else. */
  #moment(): string {
    let text = this.#value()
    while (this.#takes(':')) {
      text += `:${this.#value()}`
    }
    if (!/^\d{4}-\d\d-\d\dT/.test(text)) {
      throw new NotSpoken(text)
    }
    return text
  }

  #streamFields(): [string, string][] {
    const fields: [string, string][] = []
    while (!this.#takes('}')) {
      const name = this.#value()
      this.#needs('=')
      fields.push([name, this.#value()])
      this.#takes(',')
    }
    return fields
  }

  #pipe(): Pipe {
    if (this.#takesWord('sort')) {
      return this.#sort()
    }
    if (this.#takesWord('fields')) {
      const names = [this.#value()]
      while (this.#takes(',')) {
        names.push(this.#value())
      }
      return { kind: 'fields', names }
    }
    if (this.#takesWord('stats')) {
      const step = this.#takesWord('by') ? this.#step() : undefined
      this.#needsWord('count')
      this.#needs('(')
      this.#needs(')')
      this.#takesWord('as')
      return { kind: 'count', as: this.#value(), ...(step !== undefined && { step }) }
    }
    throw new NotSpoken(this.#rest())
  }

  /** Of time only. */
  #step(): string {
    this.#needs('(')
    this.#needsWord('_time')
    this.#needs(':')
    const step = this.#value()
    this.#needs(')')
    return step
  }

  #sort(): Pipe {
    const pipe: Pipe = { kind: 'sort', by: [] }
    this.#takesWord('by')
    this.#needs('(')
    while (!this.#takes(')')) {
      const name = this.#value()
      const isDescending = this.#takesWord('desc')
      pipe.by.push({ name, isDescending })
      this.#takes(',')
    }
    if (this.#takesWord('offset')) {
      pipe.offset = Number(this.#value())
    }
    if (this.#takesWord('limit')) {
      pipe.limit = Number(this.#value())
    }
    return pipe
  }

  #value(): string {
    const token = this.#tokens[this.#at]
    if (!token || token.kind === 'sign') {
      throw new NotSpoken(this.#rest())
    }
    this.#at++
    return token.value
  }

  #takes(sign: string): boolean {
    const token = this.#tokens[this.#at]
    const isNext = token?.kind === 'sign' && token.value === sign
    this.#at += isNext ? 1 : 0
    return isNext
  }

  #isWord(word: string): boolean {
    const token = this.#tokens[this.#at]
    return token?.kind === 'word' && token.value.toLowerCase() === word
  }

  #takesWord(word: string): boolean {
    const isNext = this.#isWord(word)
    this.#at += isNext ? 1 : 0
    return isNext
  }

  #needs(sign: string): void {
    if (!this.#takes(sign)) {
      throw new NotSpoken(this.#rest())
    }
  }

  #needsWord(word: string): void {
    if (!this.#takesWord(word)) {
      throw new NotSpoken(this.#rest())
    }
  }

  #rest(): string {
    return this.#tokens
      .slice(this.#at)
      .map(({ value }) => value)
      .join(' ')
  }
}
