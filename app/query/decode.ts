import type { Group } from './condition.js'
import type { Vocabulary } from './declaration.js'
import { DroppedKeys, type DroppedKey } from './dropped_keys.js'
import { QueryError, type QueryIssue, type QueryParameter } from './errors.js'
import { decodeFields } from './fields.js'
import { assertCodec, decodeFilter } from './filter.js'
import { keysOfSchema } from './filter_keys.js'
import { assertAnchored, indexedSorts } from './index_policy.js'
import { Lru } from './lru.js'
import { decodePagination, type Page } from './pagination.js'
import { parseQueryString, type ParsedQueryString } from './query_string.js'
import { RelationScope } from './relation_scope.js'
import { decodeRelations } from './relations.js'
import { schemaOf, type Schema } from './schema.js'
import { decodeSorts, type Sort } from './sorts.js'

/** How much of a query counts: a list takes all of it, a record what shapes it, a bulk delete the filter. */
export type DecodeMode = 'collection' | 'record' | 'filtersOnly'

export interface Selection {
  /** The fields to answer with, those of relations dotted. None means all that are not secret. */
  readonly fields: readonly string[]
  readonly relations: readonly string[]
}

export interface DecodedQuery {
  readonly selection: Selection
  readonly filters: Group
  readonly sorts: readonly Sort[]
  readonly pagination: Page
  readonly dropped: readonly DroppedKey[]
}

/** The parameters of the query language by what they are called in a URL. */
export const PARAMETERS: ReadonlyMap<string, QueryParameter> = new Map([
  ['include', 'relations'],
  ['fields', 'fields'],
  ['filter', 'filters'],
  ['page', 'pagination'],
  ['pagination', 'pagination'],
  ['sort', 'sorts'],
])
const URL_NAMES: ReadonlySet<string> = new Set([...PARAMETERS.keys(), 'codec'])

const READ: Record<DecodeMode, ReadonlySet<QueryParameter>> = {
  collection: new Set(PARAMETERS.values()),
  record: new Set(['relations', 'fields']),
  filtersOnly: new Set(['filters']),
}

const NO_FILTER: Group = Object.freeze({ kind: 'and', conditions: Object.freeze([]) })
const CACHED_QUERIES = 128
const CACHED_LENGTH = 1024

/**
 * Turns a raw query string into what is asked of a kind, or throws one `QueryError` with everything
 * that is wrong. Results are frozen and shared between requests that spell the same query.
 */
export function decode(
  vocabulary: Vocabulary,
  raw: string,
  mode: DecodeMode = 'collection'
): DecodedQuery {
  const schema = schemaOf(vocabulary)
  if (raw.length > CACHED_LENGTH) return read(schema, raw, mode)

  const cache = cacheOf(schema, mode)
  let query = cache.get(raw)
  if (query === undefined) {
    query = read(schema, raw, mode)
    cache.set(raw, query)
  }
  return query
}

function read(schema: Schema, raw: string, mode: DecodeMode): DecodedQuery {
  const parsed = parseQueryString(raw, URL_NAMES)
  const { values } = parsed
  assertCodec(values)
  const dropped = new DroppedKeys()
  const issues: QueryIssue[] = []
  const reads = (parameter: QueryParameter) => READ[mode].has(parameter)

  const include = reads('relations') ? values.get('include') : undefined
  const relations = attempt(issues, () => decodeRelations(include, schema, dropped)) ?? []
  const scope = new RelationScope(include === undefined ? undefined : relations)

  const selection = reads('fields')
    ? attempt(issues, () => select(schema, values.get('fields'), relations, scope, dropped))
    : undefined
  const filters = reads('filters')
    ? attempt(issues, () => decodeFilter(values, keysOfSchema(schema, scope), dropped))
    : undefined
  const pagination = reads('pagination')
    ? attempt(issues, () => {
        const page = values.get('page')
        return decodePagination(page, values.get('pagination'), schema.maxLimit, dropped)
      })
    : undefined
  const sorts = reads('sorts')
    ? attempt(issues, () => decodeSorts(values.get('sort'), schema, scope, dropped))
    : undefined

  if (filters) attempt(issues, () => assertAnchored(filters, schema))
  const sorted = sorts && indexedSorts(sorts, schema, dropped)
  if (issues.length > 0) throw new QueryError(issues)

  reportIgnored(parsed, reads, dropped)
  return Object.freeze({
    selection: selection ?? wholeOf(schema),
    filters: filters ?? NO_FILTER,
    sorts: Object.freeze(sorted ?? []),
    pagination: Object.freeze(pagination ?? {}),
    dropped: dropped.list(),
  })
}

/** Runs one parameter's decoding; what is wrong with it does not keep the others from being read. */
function attempt<Result>(issues: QueryIssue[], decodeOne: () => Result): Result | undefined {
  try {
    return decodeOne()
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    issues.push(...error.issues)
    return undefined
  }
}

function select(
  schema: Schema,
  fields: Parameters<typeof decodeFields>[0],
  relations: readonly string[],
  scope: RelationScope,
  dropped: DroppedKeys
): Selection {
  if (fields === undefined && relations.length === 0) return wholeOf(schema)
  return Object.freeze({
    fields: Object.freeze(decodeFields(fields, schema, scope, relations, dropped)),
    relations: Object.freeze(relations),
  })
}

const wholes = new WeakMap<Schema, Selection>()

/** The selection of a query that does not choose: one object per kind, so that work on it can be kept. */
function wholeOf(schema: Schema): Selection {
  let whole = wholes.get(schema)
  if (whole === undefined) {
    const fields = decodeFields(undefined, schema, new RelationScope(), [], new DroppedKeys())
    whole = Object.freeze({ fields: Object.freeze(fields), relations: Object.freeze([]) })
    wholes.set(schema, whole)
  }
  return whole
}

function reportIgnored(
  { ignored }: ParsedQueryString,
  reads: (parameter: QueryParameter) => boolean,
  dropped: DroppedKeys
): void {
  for (const [name, ...segments] of ignored) {
    const parameter = PARAMETERS.get(name!)
    if (parameter && reads(parameter)) dropped.add(parameter, segments.join('.'), 'keyInvalid')
  }
}

const caches = new WeakMap<Schema, Record<DecodeMode, Lru<string, DecodedQuery>>>()

function cacheOf(schema: Schema, mode: DecodeMode): Lru<string, DecodedQuery> {
  let cache = caches.get(schema)
  if (cache === undefined) {
    cache = {
      collection: new Lru(CACHED_QUERIES),
      record: new Lru(CACHED_QUERIES),
      filtersOnly: new Lru(CACHED_QUERIES),
    }
    caches.set(schema, cache)
  }
  return cache[mode]
}
