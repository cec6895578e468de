import { keyOf, type Condition, type Leaf } from './condition.js'
import { QueryError } from './errors.js'

/** What log lines have to carry, as text. */
export type Labels = Readonly<Record<string, string>>

/**
 * Takes a filter that can be answered by labels alone: equalities that all have to hold. Anything
 * else is refused, never bent into an equality.
 */
export function labelsOf(filter: Condition): Labels {
  const labels = new Map<string, string>()
  for (const leaf of equalitiesOf(filter)) {
    const name = keyOf(leaf)
    const { text } = leaf.literals[0]!
    if ((labels.get(name) ?? text) !== text) {
      throw new QueryError([], 'A label cannot have two values at once')
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
    throw new QueryError([], `Logs can be filtered by equality only, not by ${operator}`)
  }
}
