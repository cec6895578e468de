import { complementOf, keyOf, type Condition, type Leaf } from '#query/condition'
import { FilterUnsupported } from './errors.js'
import { parseInstant } from './instant.js'
import type { LogFilter, TimeFilter } from './log_filter.js'
import { KEY_LABEL } from './reserved_labels.js'

/** When a line was written, which is no label. */
const TIME = 'time'

const ORDER = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** What a query asks of lines. Throws `FilterUnsupported` for what cannot be asked of them. */
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
      throw new TypeError('Log lines are not asked for in SQL')
  }
}

/** Whether lines are asked for by anything but their time. */
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
  if (name === KEY_LABEL) {
    throw new FilterUnsupported(name, `${name} is no label of a line`)
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
      throw new FilterUnsupported(name, `${leaf.op} cannot be asked of a label`)
  }
}

/** A time that stands alone is the one to start from, as it always was where lines are deleted. */
function parseTime({ op, literals }: Leaf): TimeFilter {
  const order = op === 'eq' ? '>=' : ORDER[op as keyof typeof ORDER]
  if (order === undefined) {
    throw new FilterUnsupported(TIME, `${op} cannot be asked of the time`)
  }
  const at = parseInstant(literals[0]!.text)
  if (at === undefined) {
    throw new FilterUnsupported(TIME, 'a time is written in ISO form, or as a number')
  }
  return { kind: 'time', op: order, at }
}

function not(filter: LogFilter): LogFilter {
  return filter.kind === 'not' ? filter.filter : { kind: 'not', filter }
}
