import type { Group } from './condition.js'
import { issue, QueryError } from './errors.js'
import { parseExpression } from './expression_parser.js'
import { isRefused, type FilterKeys } from './filter_keys.js'
import { withoutOwnName } from './key_path.js'
import type { QueryValue } from './query_tree.js'

/** Decodes the expression form, which rejects the request if a key cannot be used. */
export function decodeExpressionFilter(filter: QueryValue | undefined, keys: FilterKeys): Group {
  if (filter === undefined) {
    return { kind: 'and', conditions: [] }
  }
  if (typeof filter !== 'string') {
    throw new QueryError([issue('filters', 'inputInvalid')])
  }

  return parseExpression(filter, (sent) => {
    const key = keys.resolve(withoutOwnName(keys.kind, sent))
    if (!isRefused(key)) {
      return key
    }
    throw new QueryError([issue('filters', key.reason, { path: key.at, key: sent.join('.') })])
  })
}
