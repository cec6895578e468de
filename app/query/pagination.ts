import type { DroppedKeys } from './dropped_keys.js'
import { segmentsOf } from './key_path.js'
import { QueryGroup, type QueryValue } from './query_tree.js'

/** The requested page. Both are undefined if the kind has no limit and none was sent. */
export interface Page {
  readonly limit?: number
  readonly offset?: number
}

type PageKey = keyof Page

const LOWEST: Record<PageKey, number> = { limit: 1, offset: 0 }

/** Decodes `page`, falling back to `pagination`. Invalid numbers are ignored. */
export function decodePagination(
  page: QueryValue | undefined,
  pagination: QueryValue | undefined,
  maxLimit: number | undefined,
  dropped: DroppedKeys
): Page {
  const sent = new Map<string, QueryValue>()
  for (const value of [pagination, page]) {
    if (value instanceof QueryGroup) {
      for (const [key, number] of value) {
        sent.set(key, number)
      }
    } else if (value) {
      dropped.add('pagination', '', 'inputInvalid')
    }
  }
  for (const key of sent.keys()) {
    segmentsOf('pagination', key)
    if (!Object.hasOwn(LOWEST, key)) {
      dropped.add('pagination', key, 'keyNotAllowed')
    }
  }
  const requested = numberOf('limit', sent, dropped)
  const offset = numberOf('offset', sent, dropped)
  const limit = Math.min(requested ?? Infinity, maxLimit ?? Infinity)
  if (limit === Infinity) {
    return offset === undefined ? {} : { offset }
  }
  return { limit, offset: offset ?? 0 }
}

function numberOf(
  key: PageKey,
  sent: ReadonlyMap<string, QueryValue>,
  dropped: DroppedKeys
): number | undefined {
  const value = sent.get(key)
  if (value === undefined) {
    return undefined
  }
  const text = Array.isArray(value) ? value[0] : value
  const number = typeof text === 'string' ? Number.parseInt(text, 10) : Number.NaN
  if (number >= LOWEST[key]) {
    return Math.min(number, Number.MAX_VALUE)
  }
  dropped.add('pagination', key, 'keyValueInvalid')
  return undefined
}
