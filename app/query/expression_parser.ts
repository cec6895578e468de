import {
  negationOf,
  type CompareOperator,
  type Condition,
  type Group,
  type Leaf,
  type MatchOperator,
  type MemberOperator,
  type Operator,
} from './condition.js'
import { issue, QueryError } from './errors.js'
import { Lexer, type Token } from './expression_lexer.js'
import { coerce, verbatim, type Literal } from './scalar.js'

/** Resolves a key, or throws the reason why it cannot be resolved. */
export type ResolveKey = (segments: string[]) => Pick<Leaf, 'path' | 'name'>

const NESTING_LIMIT = 32
const ELEMENT = '$this'

const COMPARE = new Set<CompareOperator>(['eq', 'gt', 'gte', 'lt', 'lte'])
const MATCH = new Set<MatchOperator>(['contains', 'startsWith', 'endsWith'])
const MEMBER = new Set<MemberOperator>(['in', 'nin'])
const KEYWORDS = new Set<string>([
  ...COMPARE,
  ...MATCH,
  ...MEMBER,
  ...['and', 'or', 'not', 'size', 'elemMatch', 'null'],
])

/** Parses the expression form; the first error ends the request. */
export function parseExpression(text: string, resolve: ResolveKey): Group {
  const condition = new ExpressionParser(text, resolve).parse()
  return condition.kind === 'and' || condition.kind === 'or'
    ? condition
    : { kind: 'and', conditions: [condition] }
}

class ExpressionParser {
  readonly #lexer: Lexer
  readonly #resolve: ResolveKey
  #token: Token
  #depth = 0
  #insideElement = false

  constructor(text: string, resolve: ResolveKey) {
    this.#lexer = new Lexer(text)
    this.#resolve = resolve
    this.#token = this.#lexer.next()
  }

  parse(): Leaf | Group {
    const condition = this.#condition()
    if (this.#token.kind !== 'end') {
      throw syntaxError()
    }
    return condition
  }

  #condition(): Leaf | Group {
    const operator = this.#word()
    this.#mark('(')
    const condition = this.#call(operator)
    this.#mark(')')
    return condition
  }

  #call(operator: string): Leaf | Group {
    if (isOneOf(COMPARE, operator)) {
      return this.#comparison(operator)
    }
    if (isOneOf(MATCH, operator)) {
      return this.#match(operator)
    }
    if (isOneOf(MEMBER, operator)) {
      return this.#membership(operator)
    }
    switch (operator) {
      case 'and':
      case 'or':
        return this.#nested(() => ({ kind: operator, conditions: this.#conditions() }))
      case 'not':
        return this.#nested(() => negate(this.#condition()))
      case 'size':
        return this.#size()
      case 'elemMatch':
        return this.#nested(() => this.#elementMatch())
      default:
        throw syntaxError()
    }
  }

  #nested<Result>(read: () => Result): Result {
    if (++this.#depth > NESTING_LIMIT) {
      throw syntaxError()
    }
    const result = read()
    this.#depth--
    return result
  }

  #conditions(): Condition[] {
    const conditions = [this.#condition()]
    while (this.#isMark(',')) {
      this.#advance()
      conditions.push(this.#condition())
    }
    return conditions
  }

  #comparison(op: Operator): Leaf {
    const key = this.#key()
    this.#mark(',')
    return { kind: 'leaf', op, ...key, literals: [this.#literal()] }
  }

  #match(op: Operator): Leaf {
    const key = this.#key()
    this.#mark(',')
    return { kind: 'leaf', op, ...key, literals: [verbatim(this.#string())] }
  }

  #membership(op: Operator): Leaf {
    const key = this.#key()
    const literals: Literal[] = []
    while (this.#isMark(',')) {
      this.#advance()
      literals.push(this.#literal())
    }
    return { kind: 'leaf', op, ...key, literals }
  }

  #size(): Leaf {
    const size = this.#comparison('size')
    const value = size.literals[0]!.value
    if (Number.isInteger(value) && Number(value) >= 0) {
      return size
    }
    throw new QueryError([issue('filters', 'keyValueInvalid')])
  }

  #elementMatch(): Leaf {
    const key = this.#key()
    this.#mark(',')
    const outside = this.#insideElement
    this.#insideElement = true
    const element = this.#condition()
    this.#insideElement = outside
    return { kind: 'leaf', op: 'elemMatch', ...key, literals: [], element }
  }

  #key(): Pick<Leaf, 'path' | 'name'> {
    const segments = [this.#word()]
    while (this.#isMark('.')) {
      this.#advance()
      segments.push(this.#word())
    }
    if (segments.some((segment) => KEYWORDS.has(segment))) {
      throw syntaxError()
    }
    if (!segments.some((segment) => segment.startsWith('$'))) {
      return this.#resolve(segments)
    }
    if (segments.length > 1 || segments[0] !== ELEMENT) {
      throw syntaxError()
    }
    if (this.#insideElement) {
      return { path: [], name: ELEMENT }
    }
    throw new QueryError([issue('filters', 'keyInvalid')])
  }

  #literal(): Literal {
    if (this.#token.kind !== 'word') {
      return coerce(this.#string())
    }
    if (this.#word() !== 'null') {
      throw syntaxError()
    }
    return { value: null, text: 'null' }
  }

  #string(): string {
    return this.#take('string')
  }

  #word(): string {
    return this.#take('word')
  }

  #take(kind: Token['kind']): string {
    const { text } = this.#token
    if (this.#token.kind !== kind) {
      throw syntaxError()
    }
    this.#advance()
    return text
  }

  #mark(text: string): void {
    if (!this.#isMark(text)) {
      throw syntaxError()
    }
    this.#advance()
  }

  #isMark(text: string): boolean {
    return this.#token.kind === 'mark' && this.#token.text === text
  }

  #advance(): void {
    this.#token = this.#lexer.next()
  }
}

/** Replaces a comparison by its negation, removes a double negation, and wraps anything else. */
function negate(condition: Leaf | Group): Leaf | Group {
  if (condition.kind === 'leaf') {
    const op = negationOf(condition.op)
    if (op !== undefined) {
      return { ...condition, op }
    }
  }
  if (condition.kind === 'not') {
    return condition.conditions[0] as Leaf | Group
  }
  return { kind: 'not', conditions: [condition] }
}

function isOneOf<Name extends string>(names: ReadonlySet<Name>, name: string): name is Name {
  return (names as ReadonlySet<string>).has(name)
}

function syntaxError(): QueryError {
  return new QueryError([issue('filters', 'syntaxInvalid')])
}
