import { LRUCache } from 'lru-cache'

import type { Group } from './condition.js'
import type { Vocabulary } from './declaration.js'
import type { DroppedKey } from './dropped_keys.js'
import type { QueryParameter } from './errors.js'
import { assertCodec, decodeFilter } from './filter.js'
import { keysOfSchema } from './filter_keys.js'
import { assertAnchored, indexedSorts } from './index_policy.js'
import { addIgnored, PARAMETERS } from './ignored_parameters.js'
import { decodePagination, type Page } from './pagination.js'
import { INHERITED } from './key_path.js'
import { parseQueryString } from './query_string.js'
import { IssueCollector } from './issue_collector.js'
import { schemaOf, type Schema } from './schema.js'
import { decodeSelection, type Selection } from './selection.js'
import { decodeSorts, type Sort } from './sorts.js'

/** The parameters that are decoded: all for a list, selection only for a record, the filter only for a bulk delete. */
export type DecodeMode = 'collection' | 'record' | 'filtersOnly'

export type { Selection }

export interface DecodedQuery {
  readonly selection: Selection
  readonly filters: Group
  readonly sorts: readonly Sort[]
  readonly pagination: Page
  readonly dropped: readonly DroppedKey[]
}

const URL_NAMES: ReadonlySet<string> = new Set([...PARAMETERS.keys(), 'codec'])

const READ: Record<DecodeMode, ReadonlySet<QueryParameter>> = {
  collection: new Set(PARAMETERS.values()),
  record: new Set<QueryParameter>(['relations', 'fields']),
  filtersOnly: new Set<QueryParameter>(['filters']),
}

const NO_FILTER: Group = Object.freeze({ kind: 'and', conditions: Object.freeze([]) })
const CACHED_QUERIES = 128
const MAX_CACHED_LENGTH = 1024

const caches = new WeakMap<Schema, Map<DecodeMode, LRUCache<string, DecodedQuery>>>()

/** Decodes a raw query string, or throws one `QueryError` with every problem. Equal query strings share one result. */
export function decode(
  vocabulary: Vocabulary,
  raw: string,
  mode: DecodeMode = 'collection'
): DecodedQuery {
  const schema = schemaOf(vocabulary)
  const queries = cacheFor(schema, mode)
  const known = queries.get(raw)
  if (known) {
    return known
  }

  const query = read(schema, raw, mode)
  if (raw.length <= MAX_CACHED_LENGTH) {
    queries.set(raw, query)
  }
  return query
}

function read(schema: Schema, raw: string, mode: DecodeMode): DecodedQuery {
  const parsed = parseQueryString(raw, URL_NAMES, INHERITED)
  const { values } = parsed
  const reading = new IssueCollector()
  const { dropped } = reading
  const isRead = (parameter: QueryParameter) => READ[mode].has(parameter)
  const sent = (parameter: QueryParameter, name: string) =>
    isRead(parameter) ? values.get(name) : undefined

  assertCodec(values)
  const { selection, scope } = decodeSelection(
    sent('relations', 'include'),
    sent('fields', 'fields'),
    schema,
    reading
  )
  const filters = isRead('filters')
    ? reading.attempt(() => decodeFilter(values, keysOfSchema(schema, scope), dropped))
    : NO_FILTER
  const pagination = isRead('pagination')
    ? reading.attempt(() =>
        decodePagination(values.get('page'), values.get('pagination'), schema.maxLimit, dropped)
      )
    : {}
  const sorts = isRead('sorts')
    ? reading.attempt(() => decodeSorts(values.get('sort'), schema, scope, dropped))
    : []

  if (filters) {
    reading.attempt(() => assertAnchored(filters, schema))
  }
  const served = indexedSorts(sorts ?? [], schema, dropped)
  addIgnored(parsed, dropped, isRead)
  reading.throwIfInvalid()
  return Object.freeze({
    selection,
    filters: filters ?? NO_FILTER,
    sorts: Object.freeze(served),
    pagination: Object.freeze(pagination ?? {}),
    dropped: dropped.list(),
  })
}

function cacheFor(schema: Schema, mode: DecodeMode): LRUCache<string, DecodedQuery> {
  const modes = caches.get(schema) ?? new Map<DecodeMode, LRUCache<string, DecodedQuery>>()
  caches.set(schema, modes)
  const queries = modes.get(mode) ?? new LRUCache<string, DecodedQuery>({ max: CACHED_QUERIES })
  modes.set(mode, queries)
  return queries
}
