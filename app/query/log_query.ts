import type { Group } from './condition.js'
import type { Vocabulary } from './declaration.js'
import { decode, type DecodeMode, type DecodedQuery } from './decode.js'
import { DroppedKeys, type DroppedKey } from './dropped_keys.js'
import { QueryError } from './errors.js'
import { assertCodec, decodeFilter } from './filter.js'
import { labelKeys } from './filter_keys.js'
import { labelsOf, type Labels } from './labels.js'
import { decodePagination, type Page } from './pagination.js'
import { parseQueryString } from './query_string.js'

/** The page of log lines where a client asks for none, and the largest it can ask for. */
export const LOG_PAGE_LIMIT = 100

const URL_NAMES: ReadonlySet<string> = new Set(['filter', 'page', 'pagination', 'codec'])
const START = 'time'

export interface LogQuery {
  readonly filters: Group
  readonly pagination: Required<Page>
  readonly dropped: readonly DroppedKey[]
}

export interface LogDeletion {
  readonly labels: Labels
  /** Only lines from this time on. */
  readonly start?: number
  readonly dropped: readonly DroppedKey[]
}

/** Reads a query for log lines, where any label can be asked for and at least one has to be. */
export function decodeLogQuery(raw: string): LogQuery {
  const { values } = parseQueryString(raw, URL_NAMES)
  assertCodec(values)
  const dropped = new DroppedKeys()
  const filters = decodeFilter(values, labelKeys, dropped)
  if (filters.conditions.length === 0) {
    throw labelMissing()
  }

  const page = values.get('page')
  const { limit = LOG_PAGE_LIMIT, offset = 0 } = decodePagination(
    page,
    values.get('pagination'),
    LOG_PAGE_LIMIT,
    dropped
  )
  return { filters, pagination: { limit, offset }, dropped: dropped.list() }
}

/** Reads which log lines to delete: labels that are named exactly, and a time to start from. */
export function decodeLogDeletion(raw: string): LogDeletion {
  const { filters, dropped } = decodeLogQuery(raw)
  const { [START]: time, ...labels } = labelsOf(filters)
  if (Object.keys(labels).length === 0) {
    throw labelMissing()
  }
  if (time === undefined) {
    return { labels, dropped }
  }

  const start = time.trim() === '' ? Number.NaN : Number(time)
  if (!Number.isFinite(start)) {
    throw new QueryError([], 'The filter time has to be a number')
  }
  return { labels, start, dropped }
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

function labelMissing(): QueryError {
  return new QueryError([], 'A filter has to name at least one label')
}
