import type { Group } from './condition.js'
import { issue, QueryError, type IssueCode } from './errors.js'
import { parseExpression } from './expression_parser.js'
import { withoutOwnName } from './key_path.js'
import type { QueryValue } from './query_tree.js'
import type { RelationScope } from './relation_scope.js'
import { isWellFormedName, type Schema } from './schema.js'

/** Reads the expression form against a kind's filter keys. */
export function decodeExpressionFilter(
  filter: QueryValue | undefined,
  schema: Schema,
  scope: RelationScope
): Group {
  if (filter === undefined) return { kind: 'and', conditions: [] }
  if (typeof filter !== 'string') throw new QueryError([issue('filters', 'inputInvalid')])

  return parseExpression(filter, (sent) => {
    const segments = withoutOwnName(schema.name, sent)
    const path = segments.slice(0, -1)
    const name = segments.at(-1)!
    const walk = scope.walk(schema, path)
    if (walk.schema === undefined) throw refusal(walk.reason, walk.path, sent)
    if (!walk.schema.acceptsFilter(name)) {
      throw refusal(codeFor(walk.schema, name), segments, sent)
    }
    return { path, name }
  })
}

function codeFor(schema: Schema, name: string): IssueCode {
  return schema.listsFilters || isWellFormedName(name) ? 'keyNotAllowed' : 'keyInvalid'
}

function refusal(code: IssueCode, path: readonly string[], sent: readonly string[]): QueryError {
  return new QueryError([issue('filters', code, { path, key: sent.join('.') })])
}
