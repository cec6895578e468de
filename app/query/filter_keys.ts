import type { Leaf } from './condition.js'
import type { IssueCode } from './errors.js'
import type { RelationScope } from './relation_scope.js'
import { isWellFormedName, type Schema } from './schema.js'

export type ResolvedKey = Pick<Leaf, 'path' | 'name'>

export interface RefusedKey {
  readonly reason: IssueCode
  /** Where the key leads, as far as that can be said. */
  readonly at: readonly string[]
}

/** Says what the keys of a filter stand for. */
export interface FilterKeys {
  /** The kind a key may start with without saying anything. */
  readonly kind?: string
  resolve(segments: readonly string[]): ResolvedKey | RefusedKey
}

/** The keys of a kind: those it offers, and through its relations those of others. */
export function keysOfSchema(schema: Schema, scope: RelationScope): FilterKeys {
  return {
    kind: schema.name,
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

/** The keys of log lines: any label. What stands before the first dot says nothing. */
export const labelKeys: FilterKeys = {
  resolve(segments) {
    if (!segments.every(isWellFormedName)) {
      return { reason: 'keyInvalid', at: segments }
    }
    const name = segments.length > 1 ? segments.slice(1).join('.') : segments[0]!
    return { path: [], name }
  },
}

export function isRefused(key: ResolvedKey | RefusedKey): key is RefusedKey {
  return 'reason' in key
}
