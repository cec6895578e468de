import type { Condition, Leaf } from '#query/condition'
import { keyOf } from '#query/condition'
import type { DecodedQuery } from '#query/decode'

/** Converts a decoded query to the format of the vectors. */
export function vectorForm(query: DecodedQuery) {
  return {
    fields: query.selection.fields,
    filters: conditionForm(query.filters),
    relations: query.selection.relations,
    sorts: query.sorts.map((sort) => ({ key: keyOf(sort), direction: sort.direction })),
    pagination: query.pagination,
  }
}

export function conditionForm(condition: Condition): Record<string, unknown> {
  if (condition.kind === 'leaf') {
    return { op: condition.op, field: keyOf(condition), value: valueForm(condition) }
  }
  if (condition.kind === 'sql') {
    throw new TypeError('Nothing a client writes turns into SQL')
  }
  return { [condition.kind]: condition.conditions.map(conditionForm) }
}

function valueForm({ op, literals, element }: Leaf): unknown {
  if (element) {
    return conditionForm(element)
  }
  const values = literals.map(({ value }) =>
    typeof value === 'number' && !Number.isFinite(value) ? { $number: String(value) } : value
  )
  return op === 'in' || op === 'nin' ? values : values[0]
}
