import { QueryError } from './errors.js'
import type { QueryValue } from './query_tree.js'

/** How the filter is written: `simple` in brackets, `expression` as one text. */
export type Dialect = 'simple' | 'expression'

const CODECS = new Map<string, Dialect>([
  ['url-simple', 'simple'],
  ['url-expression', 'expression'],
])

/** The client's stamp decides; without one, the shape of the filter does. */
export function dialectOf(codec: QueryValue | undefined, filter: QueryValue | undefined): Dialect {
  if (codec) {
    const dialect = typeof codec === 'string' ? CODECS.get(codec) : undefined
    if (dialect === undefined) throw new QueryError([])
    return dialect
  }
  return filter === undefined || isWritten(filter) ? 'expression' : 'simple'
}

function isWritten(filter: QueryValue): boolean {
  if (!Array.isArray(filter)) return typeof filter === 'string' && filter !== ''
  return filter.length > 0 && filter.every((item) => typeof item === 'string' && item !== '')
}
