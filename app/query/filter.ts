import { decodeBracketFilter } from './bracket_filter.js'
import type { Group } from './condition.js'
import type { DroppedKeys } from './dropped_keys.js'
import { QueryError } from './errors.js'
import { decodeExpressionFilter } from './expression_filter.js'
import type { FilterKeys } from './filter_keys.js'
import type { QueryGroup, QueryValue } from './query_tree.js'

/** How a filter is written: in brackets, or as one expression. */
type Dialect = 'simple' | 'expression'

const CODECS = new Map<QueryValue, Dialect>([
  ['url-simple', 'simple'],
  ['url-expression', 'expression'],
])

/** Reads the filter in the dialect the request is written in. */
export function decodeFilter(values: QueryGroup, keys: FilterKeys, dropped: DroppedKeys): Group {
  const filter = values.get('filter')
  return dialectOf(values.get('codec'), filter) === 'simple'
    ? decodeBracketFilter(filter, keys, dropped)
    : decodeExpressionFilter(filter, keys)
}

/** The stamp is checked wherever a query is read, also where the filter does not matter. */
export function assertCodec(values: QueryGroup): void {
  const codec = values.get('codec')
  if (codec && !CODECS.has(codec)) {
    throw new QueryError([])
  }
}

/** The client's stamp decides; without one, the shape of the filter does. */
function dialectOf(codec: QueryValue | undefined, filter: QueryValue | undefined): Dialect {
  const stamped = codec && CODECS.get(codec)
  if (stamped) {
    return stamped
  }
  return filter === undefined || isWritten(filter) ? 'expression' : 'simple'
}

function isWritten(filter: QueryValue): boolean {
  if (!Array.isArray(filter)) {
    return typeof filter === 'string' && filter !== ''
  }
  return filter.length > 0 && filter.every((item) => typeof item === 'string' && item !== '')
}
