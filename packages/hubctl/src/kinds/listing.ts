import type { Api } from '#hubctl/platform/api'
import { pagesOf, readPage, type Fields } from '#hubctl/platform/pages'
import type { Kind } from './kind.js'

interface ListResult {
  readonly records: readonly Fields[]
  readonly total: number
}

type Query = readonly (readonly [string, string])[]

/** Records of a kind, over all pages. */
export async function listRecords(
  api: Api,
  kind: Kind,
  { query, limit }: { query: Query; limit: number }
): Promise<ListResult> {
  const records: Fields[] = []
  let total = 0
  for await (const { data, meta } of pagesOf(api, kind.service, kind.path, { query, limit })) {
    records.push(...data)
    total = meta.total
  }
  return { records, total }
}

/** Relations that identify records without a name of their own, such as join records. */
export async function joinedRelations(api: Api, kind: Kind): Promise<readonly string[]> {
  const { data, meta } = await readPage(api, kind.service, kind.path, { limit: 1 })
  const { fields, relations } = meta.schema ?? {}
  const shown = fields?.default ?? Object.keys(data[0] ?? {})
  const isNamed = ['name', 'path', 'message'].some((name) => shown.includes(name))
  return isNamed ? [] : (relations?.allowed ?? [])
}
