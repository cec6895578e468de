import { Gauge } from 'prom-client'

import { metrics } from '#observability/metrics'
import { storagePool } from '#storage/database'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import type { LocationRow } from './location_rows.js'

/**
 * Files without objects in the last full sweep. They are never removed: the configured store may be the wrong one.
 */
export const filesWithoutObject = new Gauge({
  name: 'storage_files_without_object',
  help: 'Files whose objects were missing in the last full sweep of the object store',
  registers: [metrics],
})

const PAGE_SIZE = 500
const MAX_REPORTED = 20
const MAX_CHECKED = 10_000

const COUNT = `
  select count(*)::int as count from bucket_files
  where bucket_id = $1 and layout = $2 and created_at < $3`

const NEXT_PAGE = `
  select id, path, hash from bucket_files
  where bucket_id = $1 and layout = $2 and created_at < $3 and path > $4
  order by path limit ${PAGE_SIZE}`

/** The number of files of a location that were created before a time. */
export async function countFiles({ bucketId, layout }: LocationRow, before: Date): Promise<number> {
  const { rows } = await storagePool().query<{ count: number }>(COUNT, [bucketId, layout, before])
  return rows[0]!.count
}

/** Some of the files of a location without an object. */
export async function findFilesWithoutObject(
  store: ObjectStore,
  { bucketId, layout }: LocationRow,
  before: Date
): Promise<string[]> {
  const missing: string[] = []
  let last = ''
  for (let checked = 0; checked < MAX_CHECKED; checked += PAGE_SIZE) {
    const { rows } = await storagePool().query<{ id: string; path: string; hash: string }>(
      NEXT_PAGE,
      [bucketId, layout, before, last]
    )
    for (const { id, hash } of rows) {
      const isStored = await exists(store, objectAddress(layout, bucketId, hash))
      if (!isStored && missing.push(id) === MAX_REPORTED) {
        return missing
      }
    }
    if (rows.length < PAGE_SIZE) {
      break
    }
    last = rows.at(-1)!.path
  }
  return missing
}

function exists(store: ObjectStore, address: ReturnType<typeof objectAddress>): Promise<boolean> {
  return store.stat(address).then(
    () => true,
    (error) => {
      if (error instanceof ObjectMissing) {
        return false
      }
      throw error
    }
  )
}
