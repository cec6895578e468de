import { LRUCache } from 'lru-cache'

import type { Group } from './condition.js'
import type { Vocabulary } from './declaration.js'
import { decode, type DecodeMode, type DecodedQuery } from './decode.js'
import { droppedKeysError, DroppedKeys, type DroppedKey } from './dropped_keys.js'
import { QueryError } from './errors.js'
import { assertCodec, decodeFilter } from './filter.js'
import { labelKeys } from './filter_keys.js'
import { labelsOf, type Labels } from './labels.js'
import { decodePagination, type Page } from './pagination.js'
import { parseQueryString } from './query_string.js'

/** The page of log lines where a client asks for none, and the largest it can ask for. */
export const LOG_PAGE_LIMIT = 100

const QUERIES_KEPT = 128
const LONGEST_KEPT = 1_024

const URL_NAMES: ReadonlySet<string> = new Set(['filter', 'page', 'pagination', 'sort', 'codec'])

const kept = new LRUCache<string, LogQuery>({ max: QUERIES_KEPT })

export interface LogQuery {
  readonly filters: Group
  readonly pagination: Required<Page>
  /** Everything else is ignored that a client may ask of the order. */
  readonly oldestFirst: boolean
  readonly dropped: readonly DroppedKey[]
}

/**
 * Reads a query for log lines, where any label can be asked for and at least one has to be. A condition that cannot be used is
 * refused: without it the query would mean more lines, which may be about to be deleted. Requests that spell the same query
 * share one result.
 */
export function decodeLogQuery(raw: string): LogQuery {
  const known = kept.get(raw)
  if (known) {
    return known
  }
  const query = read(raw)
  if (raw.length <= LONGEST_KEPT) {
    kept.set(raw, query)
  }
  return query
}

function read(raw: string): LogQuery {
  const { values } = parseQueryString(raw, URL_NAMES)
  assertCodec(values)
  const dropped = new DroppedKeys()
  const filters = decodeFilter(values, labelKeys, dropped)
  if (filters.conditions.length === 0) {
    throw labelMissing()
  }
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
  const oldestFirst = values.get('sort') === 'time'
  return Object.freeze({
    filters,
    pagination: { limit, offset },
    oldestFirst,
    dropped: dropped.list(),
  })
}

/** Reads a query on a kind that is kept in the log store: labels only, and `required` among them. */
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
    throw new QueryError([], `A filter has to name ${missing.join(' and ')}`)
  }
  return { ...query, labels }
}

/** The refusal of a query that names no label. */
export function labelMissing(): QueryError {
  return new QueryError([], 'A filter has to name at least one label')
}
