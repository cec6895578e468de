import { readBracketList, readBracketValue, type ValueTest } from './bracket_value.js'
import type { Group, Leaf } from './condition.js'
import type { DroppedKeys } from './dropped_keys.js'
import { isRefused, type FilterKeys, type ResolvedKey } from './filter_keys.js'
import { withoutOwnName } from './key_path.js'
import { QueryGroup, textsOf, type QueryValue } from './query_tree.js'

interface Entry {
  /** The key as it was sent. */
  readonly key: string
  readonly segments: readonly string[]
  readonly prefixed: boolean
  readonly value: string | readonly string[]
}

/** Decodes the bracket form, which ignores keys that cannot be used. */
export function decodeBracketFilter(
  filter: QueryValue | undefined,
  keys: FilterKeys,
  dropped: DroppedKeys
): Group {
  if (!(filter instanceof QueryGroup)) {
    if (filter) {
      dropped.add('filters', '', 'inputInvalid')
    }
    return { kind: 'and', conditions: [] }
  }
  const own: Leaf[] = []
  const related: Leaf[] = []
  for (const entry of entriesOf(filter, keys, dropped)) {
    const leaf = leafOf(entry, keys, dropped)
    if (leaf) {
      ;(leaf.path.length === 0 ? own : related).push(leaf)
    }
  }
  return { kind: 'and', conditions: [...own, ...related] }
}

/** One entry per key. A key prefixed with the kind's name takes precedence. */
function entriesOf(filter: QueryGroup, keys: FilterKeys, dropped: DroppedKeys): Iterable<Entry> {
  const entries = new Map<string, Entry>()
  for (const { key, value } of flatten(filter, '')) {
    if (value === undefined) {
      dropped.add('filters', key, 'keyValueInvalid')
      continue
    }
    const sent = keys.split(withoutPosition(key))
    const segments = withoutOwnName(keys.kind, sent)
    const prefixed = segments !== sent
    const name = segments.join('.')
    const rival = entries.get(name)
    if (rival) {
      dropped.add('filters', rival.prefixed && !prefixed ? key : rival.key, 'keyInvalid')
    }
    if (!rival?.prefixed || prefixed) {
      entries.set(name, { key, segments, prefixed, value })
    }
  }
  return entries.values()
}

function* flatten(
  group: QueryGroup,
  prefix: string
): Generator<{ key: string; value?: string | readonly string[] }> {
  for (const [name, value] of group) {
    const key = `${prefix}${name}`
    if (typeof value === 'string') {
      yield { key, value }
    } else if (Array.isArray(value)) {
      yield { key, value: textsOf(value) }
    } else if (value.next === undefined) {
      yield* flatten(value, `${key}.`)
    } else {
      yield { key }
    }
  }
}

/** Removes the position that some clients prepend: `0:name` equals `name`. */
function withoutPosition(key: string): string {
  const colon = key.indexOf(':')
  return colon > 0 && /^\d+$/.test(key.slice(0, colon)) ? key.slice(colon + 1) : key
}

function leafOf(
  { key, segments, value }: Entry,
  keys: FilterKeys,
  dropped: DroppedKeys
): Leaf | undefined {
  const resolved = keys.resolve(segments)
  if (isRefused(resolved)) {
    dropped.add('filters', key, resolved.reason)
    return undefined
  }
  const test = typeof value === 'string' ? readBracketValue(value) : readBracketList(value)
  if (!test || test.lostNegation) {
    dropped.add('filters', key, 'keyValueInvalid')
  }
  return test && toLeaf(resolved, test)
}

function toLeaf(key: ResolvedKey, { op, literals }: ValueTest): Leaf {
  return { kind: 'leaf', op, ...key, literals }
}
