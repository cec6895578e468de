import { negationOf, type Operator } from './condition.js'
import { coerce, verbatim, type Literal } from './scalar.js'

/** The test that a value of a bracket filter expresses. */
export interface ValueTest {
  readonly op: Operator
  readonly literals: readonly Literal[]
  /** Whether a negated ordering lost its negation, which this form does not support. */
  readonly lostNegation?: boolean
}

/** Parses the value of `filter[key]=value`; undefined if it is empty. */
export function readBracketValue(value: string): ValueTest | undefined {
  const trimmed = value.trim()
  return trimmed.includes(',') ? readBracketList([trimmed]) : readToken(trimmed)
}

/** Parses a list, repeated or separated by commas, as a membership test. */
export function readBracketList(values: readonly string[]): ValueTest {
  const items = values
    .flatMap((value) => value.split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '')
  const [first] = items
  if (first === undefined || !isNegatedEquality(first)) {
    return { op: 'in', literals: items.map(coerce) }
  }
  return { op: 'nin', literals: [first.slice(1), ...items.slice(1)].map(coerce) }
}

function isNegatedEquality(item: string): boolean {
  return item.startsWith('!') && markerOf(item.slice(1)).op === 'eq'
}

function readToken(token: string): ValueTest | undefined {
  const negated = token.startsWith('!')
  const { op, text } = markerOf(negated ? token.slice(1) : token)
  const literal = isOrdering(op) || op === 'eq' ? coerce(text) : verbatim(text)
  if (literal.text === '') {
    return undefined
  }
  if (!negated) {
    return { op, literals: [literal] }
  }

  const negation = negationOf(op)
  return negation === undefined
    ? { op, literals: [literal], lostNegation: true }
    : { op: negation, literals: [literal] }
}

/** Detects the operator by the markers around a token. */
function markerOf(token: string): { op: Operator; text: string } {
  if (token === '~') {
    return { op: 'contains', text: token }
  }
  if (token.startsWith('~')) {
    return token.endsWith('~')
      ? { op: 'contains', text: token.slice(1, -1) }
      : { op: 'endsWith', text: token.slice(1) }
  }
  if (token.endsWith('~')) {
    return { op: 'startsWith', text: token.slice(0, -1) }
  }
  if (token.startsWith('<=')) {
    return { op: 'lte', text: token.slice(2) }
  }
  if (token.startsWith('<')) {
    return { op: 'lt', text: token.slice(1) }
  }
  if (token.startsWith('>=')) {
    return { op: 'gte', text: token.slice(2) }
  }
  if (token.startsWith('>')) {
    return { op: 'gt', text: token.slice(1) }
  }
  return { op: 'eq', text: token }
}

function isOrdering(op: Operator): boolean {
  return op === 'lt' || op === 'lte' || op === 'gt' || op === 'gte'
}
