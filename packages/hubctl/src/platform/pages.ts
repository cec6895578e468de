import type { SurfaceName } from '#configuration/surfaces'
import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import type { Api } from './api.js'

export type Fields = Readonly<Record<string, unknown>>

/** Null if the platform does not declare it. */
type Names = readonly string[] | null

/** The schema in the metadata of a list. */
export interface Schema {
  readonly name: string
  readonly fields: { readonly default: Names; readonly allowed: Names }
  readonly filters?: { readonly allowed: Names }
  readonly sorts?: { readonly allowed: Names }
  readonly relations: { readonly allowed: Names }
}

export interface Page {
  readonly data: readonly Fields[]
  readonly meta: { readonly total: number; readonly schema?: Schema }
}

export interface ListQuery {
  readonly query?: Iterable<readonly [string, string]>
  /** Maximum number of records over all pages. */
  readonly limit?: number
  /** From this number of records on, the list is refused. */
  readonly mostRecords?: number
}

const LARGEST_PAGE = 50

/** A list that is longer has no end, or is not for a terminal. */
const MOST_RECORDS = 1_000_000

/** The answer of a list. Lists without pages have no total. */
interface ListAnswer {
  readonly data: readonly Fields[]
  readonly meta?: Partial<Page['meta']>
}

/** One page of a list. */
export async function readPage(
  api: Api,
  service: SurfaceName,
  path: string,
  { query = [], limit = LARGEST_PAGE, offset = 0 }: ListQuery & { offset?: number }
): Promise<Page> {
  const parameters = new URLSearchParams(
    [...query].map(([key, value]): [string, string] => [key, value])
  )
  const size = Math.min(limit, LARGEST_PAGE)
  parameters.set('page[limit]', String(size))
  parameters.set('page[offset]', String(offset))
  const { data, meta } = await api.read<ListAnswer>(service, path, { query: parameters })
  const counted = data.length < size ? offset + data.length : Infinity
  return { data, meta: { total: counted, ...meta } }
}

/**
 * Yields the pages of a list up to a limit. Stops if a page repeats the previous one, since not every list has pages.
 */
export async function* pagesOf(
  api: Api,
  service: SurfaceName,
  path: string,
  { query = [], limit = Infinity, mostRecords = MOST_RECORDS }: ListQuery = {}
): AsyncGenerator<Page> {
  const conditions = [...query]
  let offset = 0
  let previous = new Set<string>()
  while (offset < limit) {
    const page = await readPage(api, service, path, {
      query: conditions,
      limit: limit - offset,
      offset,
    })
    const records = page.data.map((record) => JSON.stringify(record))
    if (offset > 0 && records.every((record) => previous.has(record))) {
      return
    }
    yield page
    previous = new Set(records)
    offset += page.data.length
    if (page.data.length === 0 || offset >= page.meta.total) {
      return
    }
    if (offset >= mostRecords) {
      throw new Problem(EXIT.refused, `The list has more than ${mostRecords} records.`, [
        'Ask for fewer: --filter or --limit',
      ])
    }
  }
}

/** All records of a list. */
export async function allOf<T extends Fields = Fields>(
  api: Api,
  service: SurfaceName,
  path: string,
  options?: ListQuery
): Promise<T[]> {
  const records: T[] = []
  for await (const page of pagesOf(api, service, path, options)) {
    records.push(...(page.data as readonly T[]))
  }
  return records
}
