import { LRUCache } from 'lru-cache'

import type { Group } from './condition.js'
import type { Vocabulary } from './declaration.js'
import { decode, type DecodeMode, type DecodedQuery } from './decode.js'
import { droppedKeysError, DroppedKeys, type DroppedKey } from './dropped_keys.js'
import { issue, QueryError } from './errors.js'
import { assertCodec, decodeFilter } from './filter.js'
import { labelKeys } from './filter_keys.js'
import { addIgnored } from './ignored_parameters.js'
import { labelsOf, type Labels } from './labels.js'
import { decodePagination, type Page } from './pagination.js'
import { parseQueryString } from './query_string.js'

/** The default and maximum page size of log lines. */
export const LOG_PAGE_LIMIT = 100

/** The maximum offset of a page. */
export const MAX_OFFSET = 100_000

const CACHED_QUERIES = 128
const MAX_CACHED_LENGTH = 1_024

const URL_NAMES: ReadonlySet<string> = new Set(['filter', 'page', 'pagination', 'sort', 'codec'])
const DELETION_NAMES: ReadonlySet<string> = new Set(['filter', 'codec'])
const MAX_SHOWN_LENGTH = 64

const cache = new LRUCache<string, LogQuery>({ max: CACHED_QUERIES })

export interface LogQuery {
  readonly filters: Group
  readonly pagination: Required<Page>
  /** Other sort orders are ignored. */
  readonly oldestFirst: boolean
  readonly dropped: readonly DroppedKey[]
}

/**
 * Decodes a query for log lines, which may filter by any label and must filter by at least one. An unusable condition
 * is rejected: without it the query would match more lines. Equal query strings share one result.
 */
export function decodeLogQuery(raw: string): LogQuery {
  const known = cache.get(raw)
  if (known) {
    return known
  }
  const query = read(raw)
  if (raw.length <= MAX_CACHED_LENGTH) {
    cache.set(raw, query)
  }
  return query
}

/** Decodes a deletion of log lines: those that a list with the same query contains. */
export function decodeLogDeletion(raw: string): LogQuery {
  requireFilterAlone(raw)
  return decodeLogQuery(raw)
}

function read(raw: string): LogQuery {
  const parsed = parseQueryString(raw, URL_NAMES)
  const { values, isWhole } = parsed
  assertCodec(values)
  const dropped = new DroppedKeys()
  const filters = decodeFilter(values, labelKeys, dropped)
  if (!isWhole) {
    throw tooManyParameters()
  }
  if (filters.conditions.length === 0) {
    throw labelMissing()
  }
  addIgnored(parsed, dropped, (parameter) => parameter === 'filters')
  if (!dropped.none) {
    throw droppedKeysError(dropped.list())
  }

  const page = values.get('page')
  const { limit = LOG_PAGE_LIMIT, offset = 0 } = decodePagination(
    page,
    values.get('pagination'),
    LOG_PAGE_LIMIT,
    dropped
  )
  requireOffsetWithinLimit(
    offset,
    'ask by time instead, filter[time]=<=T from the beginning, where T is the time of the last line that you have (>=T with sort=time)'
  )
  const oldestFirst = values.get('sort') === 'time'
  return Object.freeze({
    filters,
    pagination: { limit, offset },
    oldestFirst,
    dropped: dropped.list(),
  })
}

/** Decodes a query on a kind in the log store: labels only, including the `required` ones. */
export function decodeLabelQuery(
  vocabulary: Vocabulary,
  raw: string,
  required: readonly string[],
  mode: DecodeMode = 'collection'
): DecodedQuery & { readonly labels: Labels } {
  const query = decode(vocabulary, raw, mode)
  const labels = labelsOf(query.filters)
  const missing = required.filter((name) => !Object.hasOwn(labels, name))
  if (missing.length > 0) {
    throw new QueryError([], `A filter must name ${missing.join(' and ')}`)
  }
  requireOffsetWithinLimit(
    query.pagination.offset ?? 0,
    'begin at the other end with sort=time, filter by level, or ask telemetry for GET /logs by time'
  )
  return { ...query, labels }
}

/** Like `decodeLabelQuery`, for a deletion. */
export function decodeLabelDeletion(
  vocabulary: Vocabulary,
  raw: string,
  required: readonly string[]
): ReturnType<typeof decodeLabelQuery> {
  requireFilterAlone(raw)
  const query = decodeLabelQuery(vocabulary, raw, required, 'filtersOnly')
  if (query.dropped.length > 0) {
    throw droppedKeysError(query.dropped)
  }
  return query
}

/** Larger offsets cost more than a page is worth. */
function requireOffsetWithinLimit(offset: number, alternative: string): void {
  if (offset > MAX_OFFSET) {
    throw new QueryError(
      [issue('pagination', 'keyValueInvalid', { path: ['offset'], key: 'offset' })],
      `page[offset] of log lines is at most ${MAX_OFFSET}: ${alternative}`
    )
  }
}

/** Rejects other parameters: ignoring one could delete other records than intended. */
function requireFilterAlone(raw: string): void {
  const { foreign, ignored, isWhole } = parseQueryString(raw, DELETION_NAMES)
  const [name] = foreign
  if (name !== undefined) {
    const shown = JSON.stringify(name.slice(0, MAX_SHOWN_LENGTH))
    throw new QueryError([], `A deletion takes a filter and nothing else: leave out ${shown}`)
  }
  if (ignored.length > 0 || !isWhole) {
    throw tooManyParameters()
  }
}

function tooManyParameters(): QueryError {
  return new QueryError([], 'The query has too many parameters: use fewer')
}

/** The error for a query without labels. */
export function labelMissing(): QueryError {
  return new QueryError([], 'A filter must name at least one label')
}
