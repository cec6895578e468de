import type { Literal, Scalar } from './scalar.js'

export type CompareOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'
export type MatchOperator =
  'contains' | 'notContains' | 'startsWith' | 'notStartsWith' | 'endsWith' | 'notEndsWith'
export type MemberOperator = 'in' | 'nin'
export type Operator = CompareOperator | MatchOperator | MemberOperator | 'size' | 'elemMatch'

/** Compares one key with values. Comparisons and matches have one literal, memberships any number. */
export interface Leaf {
  readonly kind: 'leaf'
  readonly op: Operator
  /** The relations that lead to the key; empty for a key of the record itself. */
  readonly path: readonly string[]
  readonly name: string
  readonly literals: readonly Literal[]
  /** The condition on list elements; only with `elemMatch`. */
  readonly element?: Condition
}

export interface Group {
  readonly kind: 'and' | 'or' | 'not'
  readonly conditions: readonly Condition[]
}

/** A condition that only the server can create. `row` is the quoted alias of the record's table. */
export interface SqlCondition {
  readonly kind: 'sql'
  readonly write: (row: string, bind: (value: unknown) => string) => string
  /** The columns of the row that are read. */
  readonly columns: readonly string[]
}

export type Condition = Leaf | Group | SqlCondition

const NEGATIONS: readonly (readonly [Operator, Operator])[] = [
  ['eq', 'ne'],
  ['in', 'nin'],
  ['contains', 'notContains'],
  ['startsWith', 'notStartsWith'],
  ['endsWith', 'notEndsWith'],
]
const POSITIVE = new Map(NEGATIONS.map(([positive, negative]) => [negative, positive]))
const NEGATION = new Map([...NEGATIONS, ...POSITIVE])

/** The negation of an operator, if there is one. */
export function negationOf(op: Operator): Operator | undefined {
  return NEGATION.get(op)
}

/** The positive counterpart of a negated operator. */
export function complementOf(op: Operator): Operator | undefined {
  return POSITIVE.get(op)
}

/** The key of a leaf as it is written on the wire. */
export function keyOf({ path, name }: Pick<Leaf, 'path' | 'name'>): string {
  return path.length === 0 ? name : `${path.join('.')}.${name}`
}

/**
 * Conditions that the server adds to those of the client, such as the visible realms. They may use any property. Text
 * comparisons ignore case, as for clients.
 */
export const where = {
  is: (key: string, literal: Literal): Leaf => leaf('eq', key, [literal]),
  eq: (key: string, value: Scalar): Leaf => leaf('eq', key, [literalOf(value)]),
  in: (key: string, values: readonly Scalar[]): Leaf => leaf('in', key, values.map(literalOf)),
  and: (...conditions: Condition[]): Group => ({ kind: 'and', conditions }),
  or: (...conditions: Condition[]): Group => ({ kind: 'or', conditions }),
  not: (condition: Condition): Group => ({ kind: 'not', conditions: [condition] }),
  sql: (write: SqlCondition['write'], columns: readonly string[] = []): SqlCondition => ({
    kind: 'sql',
    write,
    columns,
  }),
}

function leaf(op: Operator, key: string, literals: readonly Literal[]): Leaf {
  const path = key.split('.')
  const name = path.pop()!
  return { kind: 'leaf', op, path, name, literals }
}

function literalOf(value: Scalar): Literal {
  return { value, text: String(value) }
}
