import type { SurfaceName } from '#configuration/surfaces'
import type { Api } from './api.js'

export type Fields = Readonly<Record<string, unknown>>

/** Null where the platform never declared it. */
type Names = readonly string[] | null

/** What a list says of itself. */
export interface Schema {
  readonly name: string
  readonly fields: { readonly default: Names; readonly allowed: Names }
  readonly filters?: { readonly allowed: Names }
  readonly sorts?: { readonly allowed: Names }
  readonly relations: { readonly allowed: Names }
}

export interface Page {
  readonly data: readonly Fields[]
  readonly meta: { readonly total: number; readonly limit?: number; readonly schema?: Schema }
}

export interface Wanted {
  readonly query?: Iterable<readonly [string, string]>
  /** How many records at most, over all pages. */
  readonly limit?: number
}

const LARGEST_PAGE = 50

/** One page of a list. */
export function readPage(
  api: Api,
  service: SurfaceName,
  path: string,
  { query = [], limit = LARGEST_PAGE, offset = 0 }: Wanted & { offset?: number }
): Promise<Page> {
  const parameters = new URLSearchParams(
    [...query].map(([key, value]): [string, string] => [key, value])
  )
  parameters.set('page[limit]', String(Math.min(limit, LARGEST_PAGE)))
  parameters.set('page[offset]', String(offset))
  return api.read<Page>(service, path, { query: parameters })
}

/** The pages of a list, one after the other, until all of them or as many records as were wanted have come. */
export async function* pagesOf(
  api: Api,
  service: SurfaceName,
  path: string,
  { query = [], limit = Infinity }: Wanted = {}
): AsyncGenerator<Page> {
  const conditions = [...query]
  let offset = 0
  while (offset < limit) {
    const page = await readPage(api, service, path, {
      query: conditions,
      limit: limit - offset,
      offset,
    })
    yield page
    offset += page.data.length
    if (page.data.length === 0 || offset >= page.meta.total) {
      return
    }
  }
}

/** All records of a list. */
export async function allOf<T extends Fields = Fields>(
  api: Api,
  service: SurfaceName,
  path: string,
  wanted?: Wanted
): Promise<T[]> {
  const records: T[] = []
  for await (const page of pagesOf(api, service, path, wanted)) {
    records.push(...(page.data as readonly T[]))
  }
  return records
}
