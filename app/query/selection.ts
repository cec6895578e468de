import { LRUCache } from 'lru-cache'

import { decodeFields } from './fields.js'
import type { QueryValue } from './query_tree.js'
import { type Reading } from './reading.js'
import { RelationScope } from './relation_scope.js'
import { decodeRelations } from './relations.js'
import type { Schema } from './schema.js'

/** What to answer with. */
export interface Selection {
  /** The fields, those of relations dotted. None means all that are not secret. */
  readonly fields: readonly string[]
  readonly relations: readonly string[]
}

export interface Scoped {
  readonly selection: Selection
  /** The relations the other parameters may go through. */
  readonly scope: RelationScope
}

const SELECTIONS_KEPT = 64
const LONGEST_SPELLING = 512

const kept = new WeakMap<Schema, LRUCache<string, Scoped>>()

/**
 * Reads `include` and `fields`. Requests that choose alike share one selection, so that whatever is
 * worked out for it can be kept.
 */
export function decodeSelection(
  include: QueryValue | undefined,
  fields: QueryValue | undefined,
  schema: Schema,
  reading: Reading
): Scoped {
  const spelling = `${spelled(include)} ${spelled(fields)}`
  const selections = kept.get(schema) ?? new LRUCache<string, Scoped>({ max: SELECTIONS_KEPT })
  kept.set(schema, selections)
  const known = selections.get(spelling)
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
  if (reading.clean && spelling.length <= LONGEST_SPELLING) {
    selections.set(spelling, scoped)
  }
  return scoped
}

function spelled(value: QueryValue | undefined): string {
  if (value === undefined) {
    return '-'
  }
  if (typeof value === 'string') {
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    return `[${value.map(spelled).join()}]`
  }
  return `{${[...value].map(([name, nested]) => `${JSON.stringify(name)}:${spelled(nested)}`).join()}}`
}
