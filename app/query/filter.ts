import { decodeBracketFilter } from './bracket_filter.js'
import type { Group } from './condition.js'
import type { DroppedKeys } from './dropped_keys.js'
import { QueryError } from './errors.js'
import { decodeExpressionFilter } from './expression_filter.js'
import type { FilterKeys } from './filter_keys.js'
import type { QueryGroup, QueryValue } from './query_tree.js'

/** The syntax of a filter: brackets, or one expression. */
type Dialect = 'simple' | 'expression'

const CODECS = new Map<QueryValue, Dialect>([
  ['url-simple', 'simple'],
  ['url-expression', 'expression'],
])

/** Decodes the filter in the syntax of the request. */
export function decodeFilter(values: QueryGroup, keys: FilterKeys, dropped: DroppedKeys): Group {
  const filter = values.get('filter')
  return dialectOf(values.get('codec'), filter) === 'simple'
    ? decodeBracketFilter(filter, keys, dropped)
    : decodeExpressionFilter(filter, keys)
}

/** Checks the codec of every query, even if the filter is not used. */
export function assertCodec(values: QueryGroup): void {
  const codec = values.get('codec')
  if (codec && !CODECS.has(codec)) {
    throw new QueryError([])
  }
}

/** The codec of the client decides; without one, the shape of the filter does. */
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
