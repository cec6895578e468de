import type { Leaf } from './condition.js'
import { issue, QueryError, type IssueCode } from './errors.js'
import { PATH_LIMIT, segmentsOf } from './key_path.js'
import { isLabelName, labelOf } from './label_name.js'
import type { RelationScope } from './relation_scope.js'
import { isWellFormedName, type Schema } from './schema.js'

export type ResolvedKey = Pick<Leaf, 'path' | 'name'>

export interface RefusedKey {
  readonly reason: IssueCode
  /** The path of the key, as far as it is known. */
  readonly at: readonly string[]
}

/** Resolves the keys of a filter. */
export interface FilterKeys {
  /** Splits a key in brackets into path segments. */
  split(key: string): string[]
  /** The kind whose name may prefix a key. */
  readonly kind?: string
  resolve(segments: readonly string[]): ResolvedKey | RefusedKey
}

/** The keys of a kind: its allowed filters, and those of related kinds. */
export function keysOfSchema(schema: Schema, scope: RelationScope): FilterKeys {
  return {
    kind: schema.name,
    split: pathOf,
    resolve(segments) {
      const path = segments.slice(0, -1)
      const name = segments.at(-1)!
      const walk = scope.walk(schema, path)
      if (walk.schema === undefined) {
        return { reason: walk.reason, at: walk.path }
      }
      if (walk.schema.acceptsFilter(name)) {
        return { path, name }
      }
      const known = walk.schema.listsFilters || isWellFormedName(name)
      return { reason: known ? 'keyNotAllowed' : 'keyInvalid', at: segments }
    },
  }
}

/** The keys of log lines: any label by its exact name. */
export const labelKeys: FilterKeys = {
  split: (key) => [key],
  resolve(segments) {
    const name = labelOf(segments.join('.'))
    return isLabelName(name) ? { path: [], name } : { reason: 'keyInvalid', at: segments }
  },
}

function pathOf(key: string): string[] {
  const segments = segmentsOf('filters', key)
  if (segments.length > PATH_LIMIT) {
    throw new QueryError([issue('filters', 'inputInvalid')])
  }
  return segments
}

export function isRefused(key: ResolvedKey | RefusedKey): key is RefusedKey {
  return 'reason' in key
}
