import { complementOf, keyOf, type Condition, type Leaf, type Operator } from '#query/condition'
import type { ColumnType } from '#query/declaration'
import { issue, QueryError } from '#query/errors'
import type { Literal } from '#query/scalar'
import type { Bindings } from './bindings.js'
import { propertyOf, valueOf } from './identifiers.js'
import type { Joins } from './joins.js'
import { equalOperandOf, operandOf } from './operand.js'

const NEVER = 'false'
const ALWAYS = 'true'

const ORDER: Partial<Record<Operator, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' }

/** The WHERE clause for a conjunction; empty if there are no conditions. */
export function whereClause(
  conditions: readonly Condition[],
  joins: Joins,
  bindings: Bindings
): string {
  const writer = new ConditionWriter(joins, bindings)
  const parts = conditions.map((each) => writer.write(each)).filter((part) => part !== ALWAYS)
  return parts.length === 0 ? '' : `where ${parts.join(' and ')}`
}

/**
 * Compiles conditions so that a condition and its negation partition all rows: a negation is always "is not true",
 * which NULL satisfies.
 */
class ConditionWriter {
  readonly #joins: Joins
  readonly #bindings: Bindings

  constructor(joins: Joins, bindings: Bindings) {
    this.#joins = joins
    this.#bindings = bindings
  }

  write(condition: Condition): string {
    switch (condition.kind) {
      case 'leaf':
        return this.#leaf(condition)
      case 'sql': {
        const { row } = this.#joins.at([])
        return `(${condition.write(row, (value) => this.#bindings.bind(value))})`
      }
      case 'not':
        return complement(this.#all(condition.conditions))
      case 'and':
        return this.#all(condition.conditions)
      case 'or':
        return joined(
          condition.conditions.map((each) => this.write(each)),
          ' or ',
          NEVER
        )
    }
  }

  #all(conditions: readonly Condition[]): string {
    return joined(
      conditions.map((each) => this.write(each)),
      ' and ',
      ALWAYS
    )
  }

  #leaf(leaf: Leaf): string {
    const positive = complementOf(leaf.op)
    if (positive !== undefined) {
      return complement(this.#leaf({ ...leaf, op: positive }))
    }

    const { declaration, row } = this.#joins.at(leaf.path)
    const { type } = propertyOf(declaration, leaf.name)
    const value = valueOf(declaration, leaf.name, row)
    const [literal] = leaf.literals
    switch (leaf.op) {
      case 'eq':
        return this.#equals(leaf, value, type, literal!)
      case 'in':
        return this.#member(leaf, value, type)
      case 'contains':
      case 'startsWith':
      case 'endsWith':
        return this.#matches(leaf, value, type, literal!)
      case 'size':
      case 'elemMatch':
        throw unsupported(leaf)
      default:
        return this.#ordered(leaf, value, type, literal!)
    }
  }

  #equals(leaf: Leaf, value: string, type: ColumnType, literal: Literal): string {
    if (literal.value === null) {
      return `${value} is null`
    }
    if (isDocument(type)) {
      throw unsupported(leaf)
    }
    const operand = equalOperandOf(type, literal)
    if (operand === undefined) {
      return NEVER
    }
    const bound = `${this.#bindings.bind(operand.value)}::${operand.type}`
    return type === 'text' ? `lower(${value}) = lower(${bound})` : `${value} = ${bound}`
  }

  /** All values are bound as one array: the statement is the same for any number of values. */
  #member(leaf: Leaf, value: string, type: ColumnType): string {
    const nonNull = leaf.literals.filter((literal) => literal.value !== null)
    if (nonNull.length > 0 && isDocument(type)) {
      throw unsupported(leaf)
    }
    const operands = nonNull.flatMap((literal) => equalOperandOf(type, literal) ?? [])
    const tests = nonNull.length < leaf.literals.length ? [`${value} is null`] : []
    if (operands.length > 0) {
      const bound = this.#bindings.bind(operands.map((operand) => operand.value))
      const list = `${bound}::${operands[0]!.type}[]`
      tests.unshift(
        type === 'text'
          ? `lower(${value}) = any(array(select lower(v) from unnest(${list}) v))`
          : `${value} = any(${list})`
      )
    }
    return joined(tests, ' or ', NEVER)
  }

  #matches(leaf: Leaf, value: string, type: ColumnType, { text }: Literal): string {
    if (type !== 'text') {
      throw unsupported(leaf)
    }
    if (text.includes('\0')) {
      return NEVER
    }
    const literal = text.replace(/[\\%_]/g, '\\$&')
    const before = leaf.op === 'startsWith' ? '' : '%'
    const after = leaf.op === 'endsWith' ? '' : '%'
    return `${value} ilike ${this.#bindings.bind(`${before}${literal}${after}`)}::text`
  }

  #ordered(leaf: Leaf, value: string, type: ColumnType, literal: Literal): string {
    if (isDocument(type)) {
      throw unsupported(leaf)
    }
    const operand = literal.value === null ? undefined : operandOf(type, literal)
    if (operand === undefined) {
      return NEVER
    }
    const left = type === 'text' ? `${value} collate "C"` : value
    return `${left} ${ORDER[leaf.op]} ${this.#bindings.bind(operand.value)}::${operand.type}`
  }
}

function complement(condition: string): string {
  if (condition === ALWAYS) {
    return NEVER
  }
  if (condition === NEVER) {
    return ALWAYS
  }
  return `(${condition}) is not true`
}

function joined(parts: readonly string[], glue: string, none: string): string {
  if (parts.length === 0) {
    return none
  }
  return parts.length === 1 ? parts[0]! : `(${parts.join(glue)})`
}

function isDocument(type: ColumnType): boolean {
  return type === 'json' || type === 'jsonText'
}

function unsupported(leaf: Leaf): QueryError {
  const key = keyOf(leaf)
  const path = [...leaf.path, leaf.name]
  return new QueryError([issue('filters', 'operatorUnsupported', { path, key })])
}
