import type { DroppedKeys } from './dropped_keys.js'
import { groupFields, type FieldGroup, type FieldToken } from './field_groups.js'
import type { QueryValue } from './query_tree.js'
import type { RelationScope } from './relation_scope.js'
import type { Schema } from './schema.js'

/** Decodes `fields` into the selected names, with dotted paths for relations. */
export function decodeFields(
  fields: QueryValue | undefined,
  schema: Schema,
  scope: RelationScope,
  included: readonly string[],
  dropped: DroppedKeys
): string[] {
  if (Array.isArray(fields)) {
    reportMixed(fields, dropped)
  }
  const groups = groupFields(fields, schema.name)
  const paths = reachable(groups, schema, scope, included, dropped)

  const projection: string[] = []
  project('', schema)
  return projection

  function project(key: string, kind: Schema): void {
    const prefix = key === '' ? '' : `${key}.`
    for (const name of select(groups.get(key)?.tokens ?? [], kind, prefix, dropped)) {
      projection.push(`${prefix}${name}`)
    }
    for (const [path, { parent, schema: related }] of paths) {
      if (parent === key) {
        project(path, related)
      }
    }
  }
}

/**
 * Selects the fields of one record: the explicit ones or the defaults, plus the added and minus the removed ones. A
 * selection that removes everything is ignored.
 */
function select(
  tokens: readonly FieldToken[],
  schema: Schema,
  prefix: string,
  dropped: DroppedKeys
): readonly string[] {
  const defaults = schema.defaultFields ?? []
  const known = tokens.filter(({ name }) => {
    const accepted = schema.acceptsField(name)
    if (!accepted) {
      dropped.add('fields', `${prefix}${name}`, 'keyNotAllowed')
    }
    return accepted
  })
  const named = (sign: FieldToken['sign']) =>
    known.filter((token) => token.sign === sign).map(({ name }) => name)

  const explicit = named('')
  const chosen = new Set([...(explicit.length > 0 ? explicit : defaults), ...named('+')])
  if (chosen.size === 0) {
    for (const name of schema.allowedFields ?? []) {
      chosen.add(name)
    }
  }
  const removed = named('-')
  for (const name of removed) {
    chosen.delete(name)
  }
  if (chosen.size > 0 || removed.length === 0) {
    return [...chosen]
  }

  for (const name of removed) {
    dropped.add('fields', `${prefix}${name}`, 'keyValueInvalid')
  }
  return defaults
}

interface ReachablePath {
  readonly parent: string
  readonly schema: Schema
}

/** The selected relations: those with requested fields, then the included ones. */
function reachable(
  groups: ReadonlyMap<string, FieldGroup>,
  root: Schema,
  scope: RelationScope,
  included: readonly string[],
  dropped: DroppedKeys
): Map<string, ReachablePath> {
  const paths = new Map<string, ReachablePath>()
  for (const [key, { path, tokens }] of groups) {
    if (path.length === 0) {
      continue
    }
    const walk = scope.walk(root, path)
    if (walk.schema) {
      paths.set(key, { parent: parentOf(path), schema: walk.schema })
    } else {
      for (const { name } of tokens) {
        dropped.add('fields', `${key}.${name}`, walk.reason)
      }
    }
  }
  for (const key of included) {
    const path = key.split('.')
    const { schema } = scope.walk(root, path)
    if (schema && !paths.has(key)) {
      paths.set(key, { parent: parentOf(path), schema })
    }
  }
  return paths
}

function parentOf(path: readonly string[]): string {
  return path.slice(0, -1).join('.')
}

function reportMixed(fields: readonly QueryValue[], dropped: DroppedKeys): void {
  for (const item of fields) {
    if (typeof item === 'string' || Array.isArray(item)) {
      continue
    }
    for (const name of item.keys()) {
      dropped.add('fields', name, 'inputInvalid')
    }
  }
}
