import { complementOf, keyOf, type Condition, type Leaf } from '#query/condition'
import { FilterUnsupported } from './errors.js'
import { parseInstant } from './instant.js'
import type { LogFilter, TimeFilter } from './log_filter.js'
import { KEY_LABEL } from './reserved_labels.js'

/** The time of a line, which is not a label. */
const TIME = 'time'

const ORDER = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** The filter of a query. Throws `FilterUnsupported` for operators that log lines do not support. */
export function parseFilter(condition: Condition): LogFilter {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { kind: condition.kind, filters: condition.conditions.map(parseFilter) }
    case 'not':
      return not({ kind: 'and', filters: condition.conditions.map(parseFilter) })
    case 'leaf':
      return parseLeaf(condition)
    case 'sql':
      throw new TypeError('Log lines cannot be filtered in SQL')
  }
}

/** Whether a filter restricts anything but the time. */
export function hasLabel(filter: LogFilter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.some(hasLabel)
    case 'not':
      return hasLabel(filter.filter)
    default:
      return filter.kind !== 'time'
  }
}

function parseLeaf(leaf: Leaf): LogFilter {
  const positive = complementOf(leaf.op)
  if (positive !== undefined) {
    return not(parseLeaf({ ...leaf, op: positive }))
  }
  const name = keyOf(leaf)
  if (name === TIME) {
    return parseTime(leaf)
  }
  if (name === KEY_LABEL || name.startsWith('_')) {
    throw new FilterUnsupported(name, `${name} is not a label of log lines`)
  }
  const values = leaf.literals.map(({ text }) => text)
  switch (leaf.op) {
    case 'eq':
    case 'in':
      return { kind: 'oneOf', name, values }
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return { kind: leaf.op, name, text: values[0]! }
    default:
      throw new FilterUnsupported(name, `${leaf.op} is not supported for labels`)
  }
}

/** A time without operator is the start, as in deletions of the former platform. */
function parseTime({ op, literals }: Leaf): TimeFilter {
  const order = op === 'eq' ? '>=' : ORDER[op as keyof typeof ORDER]
  if (order === undefined) {
    throw new FilterUnsupported(TIME, `${op} is not supported for the time`)
  }
  const at = parseInstant(literals[0]!.text)
  if (at === undefined) {
    throw new FilterUnsupported(TIME, 'a time must be in ISO form or a number')
  }
  return { kind: 'time', op: order, at }
}

function not(filter: LogFilter): LogFilter {
  return filter.kind === 'not' ? filter.filter : { kind: 'not', filter }
}
