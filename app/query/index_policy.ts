import { keyOf, type Condition, type Leaf } from './condition.js'
import type { DroppedKeys } from './dropped_keys.js'
import { issue, QueryError } from './errors.js'
import type { Schema } from './schema.js'
import type { Sort } from './sorts.js'

/** The result of the search for an index: found, no conditions, or the keys without an index. */
type Verdict =
  | { readonly outcome: 'anchored' }
  | { readonly outcome: 'vacuous' }
  | { readonly outcome: 'unanchored'; readonly keys: readonly string[] }

const ANCHORED: Verdict = { outcome: 'anchored' }
const VACUOUS: Verdict = { outcome: 'vacuous' }

/** Rejects a filter that no index can serve: each alternative needs a key that leads one. */
export function assertAnchored(filter: Condition, schema: Schema): void {
  if (!schema.filtersIndexed) {
    return
  }
  const verdict = anchorOf(filter, schema)
  if (verdict.outcome !== 'unanchored') {
    return
  }
  throw new QueryError([issue('filters', 'keyCombinationNotIndexed', { received: verdict.keys })])
}

function anchorOf(condition: Condition, schema: Schema): Verdict {
  if (condition.kind === 'or') {
    return anchorOfAlternatives(condition.conditions, schema)
  }
  const leaves: Leaf[] = []
  const groups: Condition[] = []
  flatten(condition.kind === 'not' ? condition.conditions : [condition], leaves, groups)

  if (leaves.some((leaf) => leads(leaf, schema))) {
    return ANCHORED
  }
  const verdicts = groups.map((group) => anchorOf(group, schema))
  if (verdicts.some(({ outcome }) => outcome === 'anchored')) {
    return ANCHORED
  }
  const failed = verdicts.find(({ outcome }) => outcome === 'unanchored')
  if (failed) {
    return failed
  }
  return leaves.length === 0
    ? VACUOUS
    : { outcome: 'unanchored', keys: [...new Set(leaves.map(keyOf))] }
}

function anchorOfAlternatives(alternatives: readonly Condition[], schema: Schema): Verdict {
  const verdicts = alternatives.map((alternative) => anchorOf(alternative, schema))
  return (
    verdicts.find(({ outcome }) => outcome === 'unanchored') ??
    verdicts.find(({ outcome }) => outcome === 'anchored') ??
    VACUOUS
  )
}

/** Flattens nested conjunctions. */
function flatten(conditions: readonly Condition[], leaves: Leaf[], groups: Condition[]): void {
  for (const condition of conditions) {
    if (condition.kind === 'leaf') {
      leaves.push(condition)
    } else if (condition.kind === 'and') {
      flatten(condition.conditions, leaves, groups)
    } else {
      groups.push(condition)
    }
  }
}

function leads(leaf: Leaf, schema: Schema): boolean {
  return schemaAt(schema, leaf.path)?.leadsIndex(leaf.name) ?? false
}

/** Keeps a sort that an index can serve; otherwise uses the default. Keys that only repeat the default are ignored. */
export function indexedSorts(
  sorts: readonly Sort[],
  schema: Schema,
  dropped: DroppedKeys
): readonly Sort[] {
  const requested = sorts.filter((sort) => !isDefault(sort, schema))
  const [first] = requested
  if (!schema.sortsIndexed || first === undefined || matchesIndex(requested, first, schema)) {
    return sorts
  }
  for (const sort of requested) {
    dropped.add('sorts', keyOf(sort), 'keyCombinationNotIndexed')
  }
  return schema.defaultSorts.map((sort) => ({ path: [], ...sort }))
}

function isDefault(sort: Sort, schema: Schema): boolean {
  const defaults = schemaAt(schema, sort.path)?.defaultSorts ?? []
  return defaults.some(({ name, direction }) => name === sort.name && direction === sort.direction)
}

function matchesIndex(sorts: readonly Sort[], { path }: Sort, schema: Schema): boolean {
  const samePath = sorts.every((sort) => sort.path.join('.') === path.join('.'))
  const indexes = schemaAt(schema, path)?.indexes ?? []
  return (
    samePath &&
    indexes.some((index) => sorts.every(({ name }, position) => index[position] === name))
  )
}

function schemaAt(root: Schema, path: readonly string[]): Schema | undefined {
  return path.reduce<Schema | undefined>((schema, relation) => schema?.related(relation), root)
}
