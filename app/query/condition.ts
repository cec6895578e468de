import type { Literal, Scalar } from './scalar.js'

export type CompareOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'
export type MatchOperator =
  'contains' | 'notContains' | 'startsWith' | 'notStartsWith' | 'endsWith' | 'notEndsWith'
export type MemberOperator = 'in' | 'nin'
export type Operator = CompareOperator | MatchOperator | MemberOperator | 'size' | 'elemMatch'

/** One key held against values. Comparisons and matches have one literal, memberships any number. */
export interface Leaf {
  readonly kind: 'leaf'
  readonly op: Operator
  /** The relations that lead to the key, none for a key of the record itself. */
  readonly path: readonly string[]
  readonly name: string
  readonly literals: readonly Literal[]
  /** What an element of a list has to satisfy; only with `elemMatch`. */
  readonly element?: Condition
}

export interface Group {
  readonly kind: 'and' | 'or' | 'not'
  readonly conditions: readonly Condition[]
}

/** A condition only the server can write. `row` is the quoted alias of the record's table. */
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

/** The operator that says the opposite, where there is one. */
export function negationOf(op: Operator): Operator | undefined {
  return NEGATION.get(op)
}

/** The operator a negated one is the complement of. */
export function complementOf(op: Operator): Operator | undefined {
  return POSITIVE.get(op)
}

/** A leaf's key in the spelling of the wire. */
export function keyOf({ path, name }: Pick<Leaf, 'path' | 'name'>): string {
  return path.length === 0 ? name : `${path.join('.')}.${name}`
}

/**
 * Conditions the server puts beside those of the client, such as the realms an actor may see. They may
 * name any property. Text is compared without regard to case, as it is for clients.
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
