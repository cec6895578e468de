import { LRUCache } from 'lru-cache'

import { decodeFields } from './fields.js'
import type { QueryValue } from './query_tree.js'
import { type IssueCollector } from './issue_collector.js'
import { RelationScope } from './relation_scope.js'
import { decodeRelations } from './relations.js'
import type { Schema } from './schema.js'

/** The selected fields and relations. */
export interface Selection {
  /** The fields, with dotted paths for relations. Empty means all that are not secret. */
  readonly fields: readonly string[]
  readonly relations: readonly string[]
}

export interface ScopedSelection {
  readonly selection: Selection
  /** The relations that the other parameters may traverse. */
  readonly scope: RelationScope
}

const CACHED_SELECTIONS = 64
const MAX_CACHED_LENGTH = 512

const caches = new WeakMap<Schema, LRUCache<string, ScopedSelection>>()

/**
 * Decodes `include` and `fields`. Equal parameters share one selection, so that compiled statements can be cached by
 * it.
 */
export function decodeSelection(
  include: QueryValue | undefined,
  fields: QueryValue | undefined,
  schema: Schema,
  reading: IssueCollector
): ScopedSelection {
  const key = `${serialized(include)} ${serialized(fields)}`
  const selections =
    caches.get(schema) ?? new LRUCache<string, ScopedSelection>({ max: CACHED_SELECTIONS })
  caches.set(schema, selections)
  const known = selections.get(key)
  if (known) {
    return known
  }

  const relations = reading.attempt(() => decodeRelations(include, schema, reading.dropped)) ?? []
  const scope = new RelationScope(include === undefined ? undefined : relations)
  const names =
    reading.attempt(() => decodeFields(fields, schema, scope, relations, reading.dropped)) ?? []
  const selection = Object.freeze({
    fields: Object.freeze(names),
    relations: Object.freeze(relations),
  })
  const scoped = { selection, scope }
  if (reading.isClean && key.length <= MAX_CACHED_LENGTH) {
    selections.set(key, scoped)
  }
  return scoped
}

function serialized(value: QueryValue | undefined): string {
  if (value === undefined) {
    return '-'
  }
  if (typeof value === 'string') {
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    return `[${value.map(serialized).join()}]`
  }
  return `{${[...value].map(([name, nested]) => `${JSON.stringify(name)}:${serialized(nested)}`).join()}}`
}
