import type { SurfaceName } from '#configuration/surfaces'
import type { HubClient, QueryValues } from './hub_client.js'

const PER_PAGE = 50
const MAX_PAGES = 20

/** Reads all records of a small collection. More than a thousand records need a page with parts. */
export async function everyRecord<Row>(
  hub: HubClient,
  service: SurfaceName,
  path: string,
  query: QueryValues
): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const { data } = await hub.list<Row>(service, path, {
      ...query,
      'page[limit]': PER_PAGE,
      'page[offset]': page * PER_PAGE,
    })
    rows.push(...data)
    if (data.length < PER_PAGE) {
      break
    }
  }
  return rows
}
