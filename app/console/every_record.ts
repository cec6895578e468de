import { recordsOf } from '#client/pages'
import type { QueryValues } from '#client/transport'
import type { SurfaceName } from '#configuration/surfaces'
import type { HubClient } from './hub_client.js'

const LIMIT = 1_000

/** Reads all records of a small collection. More than a thousand records need a page with parts. */
export function everyRecord<Row>(
  hub: HubClient,
  service: SurfaceName,
  path: string,
  query: QueryValues
): Promise<Row[]> {
  const read = (offset: number, size: number) =>
    hub.list<Row>(service, path, { ...query, 'page[limit]': size, 'page[offset]': offset })
  return Array.fromAsync(recordsOf(read, { limit: LIMIT }))
}
