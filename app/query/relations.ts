import type { DroppedKeys } from './dropped_keys.js'
import { PATH_LIMIT, segmentsOf } from './key_path.js'
import { QueryGroup, type QueryValue } from './query_tree.js'
import type { Schema } from './schema.js'

/** Decodes `include` into relation paths, parents first. */
export function decodeRelations(
  include: QueryValue | undefined,
  schema: Schema,
  dropped: DroppedKeys
): string[] {
  const included: string[] = []
  for (const key of keysOf(include)) {
    const segments = segmentsOf('relations', key)
    const reached = reach(schema, segments)
    if (reached < segments.length) {
      dropped.add('relations', key, 'keyNotAllowed')
    }
    for (let depth = 1; depth <= reached; depth++) {
      const path = segments.slice(0, depth).join('.')
      if (depth === segments.length || !included.includes(path)) {
        included.push(path)
      }
    }
  }
  return included
}

/** The number of leading segments that may be included. */
function reach(root: Schema, segments: readonly string[]): number {
  let schema: Schema | undefined = root
  for (const [depth, segment] of segments.entries()) {
    if (depth === PATH_LIMIT || !schema?.acceptsRelation(segment)) {
      return depth
    }
    schema = schema.related(segment)
  }
  return segments.length
}

function* keysOf(value: QueryValue | undefined, prefix = ''): Generator<string> {
  if (value instanceof QueryGroup) {
    for (const [name, nested] of value) {
      if (nested === '') {
        yield `${prefix}${name}`
      } else {
        yield* keysOf(nested, `${prefix}${name}.`)
      }
    }
    return
  }
  const tokens = typeof value === 'string' ? value.split(',') : (value ?? [])
  for (const token of tokens) {
    if (typeof token === 'string' && token !== '') {
      yield `${prefix}${token}`
    }
  }
}
