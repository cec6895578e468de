import { keyOf, type Condition, type Leaf } from './condition.js'
import { QueryError } from './errors.js'

/** Labels that log lines must have. */
export type Labels = Readonly<Record<string, string>>

/** Converts a filter into labels: equalities that all must hold. Anything else is rejected, never approximated. */
export function labelsOf(filter: Condition): Labels {
  const labels = new Map<string, string>()
  for (const leaf of equalitiesOf(filter)) {
    const name = keyOf(leaf)
    const { text } = leaf.literals[0]!
    if ((labels.get(name) ?? text) !== text) {
      throw new QueryError([], 'A filter must not give a label two values')
    }
    labels.set(name, text)
  }
  return Object.fromEntries(labels)
}

function* equalitiesOf(condition: Condition): Generator<Leaf> {
  if (condition.kind === 'and') {
    for (const each of condition.conditions) {
      yield* equalitiesOf(each)
    }
  } else if (condition.kind === 'leaf' && condition.op === 'eq') {
    yield condition
  } else {
    const operator = condition.kind === 'leaf' ? condition.op : condition.kind
    throw new QueryError([], `Unsupported filter operator for logs: ${operator}. Use equality only`)
  }
}
