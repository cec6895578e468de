import type { Direction } from './declaration.js'
import type { DroppedKeys } from './dropped_keys.js'
import { segmentsOf, withoutOwnName } from './key_path.js'
import { QueryGroup, type QueryValue } from './query_tree.js'
import type { RelationScope } from './relation_scope.js'
import type { Schema } from './schema.js'

export interface Sort {
  readonly path: readonly string[]
  readonly name: string
  readonly direction: Direction
}

interface SentKey {
  readonly key: string
  readonly direction: Direction
}

/** The sort keys of the record itself, or of a related one. */
interface SortGroup {
  readonly path: readonly string[]
  readonly schema: Schema
  readonly directions: Map<string, Direction>
}

const DIRECTION = /^(?:asc|desc)$/i

/**
 * Decodes `sort`. The record's own keys come first, then those of each relation. A group without usable keys gets the
 * default sort of its kind.
 */
export function decodeSorts(
  sort: QueryValue | undefined,
  schema: Schema,
  scope: RelationScope,
  dropped: DroppedKeys
): Sort[] {
  const groups = new Map<string, SortGroup>([['', { path: [], schema, directions: new Map() }]])
  for (const { key, direction } of sort ? keysOf(sort) : []) {
    const segments = withoutOwnName(schema.name, segmentsOf('sorts', key))
    const path = segments.slice(0, -1)
    const name = segments.at(-1)!
    const walk = scope.walk(schema, path)
    if (walk.schema === undefined) {
      dropped.add('sorts', key, walk.reason)
      continue
    }
    const group = groups.get(path.join('.')) ?? {
      path,
      schema: walk.schema,
      directions: new Map<string, Direction>(),
    }
    groups.set(path.join('.'), group)
    if (walk.schema.acceptsSort(name)) {
      group.directions.set(name, direction)
    } else {
      dropped.add('sorts', key, 'keyNotAllowed')
    }
  }
  return [...groups.values()].flatMap(sortsOf)
}

function sortsOf({ path, schema, directions }: SortGroup): Sort[] {
  if (directions.size === 0) {
    return schema.defaultSorts.map((sort) => ({ path, ...sort }))
  }
  return [...directions].map(([name, direction]) => ({ path, name, direction }))
}

function* keysOf(value: QueryValue, prefix = ''): Generator<SentKey> {
  if (!(value instanceof QueryGroup)) {
    for (const token of typeof value === 'string' ? value.split(',') : value) {
      if (typeof token === 'string' && token !== '') {
        yield keyOf(token, prefix)
      }
    }
    return
  }
  for (const [name, nested] of value) {
    const key = `${prefix}${name}`
    if (typeof nested === 'string' && DIRECTION.test(nested)) {
      yield { key, direction: nested.toUpperCase() as Direction }
    } else {
      yield* keysOf(nested, `${key}.`)
    }
  }
}

function keyOf(token: string, prefix: string): SentKey {
  return token.startsWith('-')
    ? { key: `${prefix}${token.slice(1)}`, direction: 'DESC' }
    : { key: `${prefix}${token}`, direction: 'ASC' }
}
