import { PAGE_SIZE, pagesOf as pagesIn, type PagesOptions } from '#client/pages'
import type { SurfaceName } from '#configuration/surfaces'
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

export interface ListQuery extends Pick<PagesOptions, 'limit' | 'mostRecords'> {
  readonly query?: Iterable<readonly [string, string]>
}

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
  { query = [], limit = PAGE_SIZE, offset = 0 }: ListQuery & { offset?: number }
): Promise<Page> {
  const parameters = new URLSearchParams(
    [...query].map(([key, value]): [string, string] => [key, value])
  )
  const size = Math.min(limit, PAGE_SIZE)
  parameters.set('page[limit]', String(size))
  parameters.set('page[offset]', String(offset))
  const { data, meta } = await api.read<ListAnswer>(service, path, { query: parameters })
  const counted = data.length < size ? offset + data.length : Infinity
  return { data, meta: { total: counted, ...meta } }
}

/** Yields the pages of a list up to a limit. */
export function pagesOf(
  api: Api,
  service: SurfaceName,
  path: string,
  { query = [], ...options }: ListQuery = {}
): AsyncGenerator<Page> {
  const conditions = [...query]
  const read = (offset: number, limit: number) =>
    readPage(api, service, path, { query: conditions, limit, offset })
  return pagesIn<Fields, Page>(read, options)
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
