import type pg from 'pg'

import { storagePool } from '#storage/database'
import { tryRemoval } from '#storage/sweeps/try_removal'
import { emptyLocations, removeLocations } from '#storage/objects/bucket_locations'

/**
 * Prepares that a bucket, which is locked, goes for good; what is answered is to be done once it has. Where files are still on
 * their way into it, its places stay known as new, and the sweep looks at them once more when those have come to their end.
 */
export async function prepareRemoval(
  transaction: pg.ClientBase,
  bucketId: string
): Promise<() => Promise<void>> {
  await transaction.query('update bucket_places set made_at = now() where bucket_id = $1', [
    bucketId,
  ])
  const { rowCount } = await transaction.query(
    'select 1 from bucket_file_claims where bucket_id = $1 limit 1',
    [bucketId]
  )
  return () => removeObjects(bucketId, rowCount === 0 ? removeLocations : emptyLocations)
}

/** Gives up the places of a bucket that did not come to be. One that did, although nobody was told, keeps them. */
export async function removeUnusedLocations(bucketId: string): Promise<void> {
  const exists = await bucketExists(bucketId).catch(() => true)
  if (!exists) {
    await removeObjects(bucketId, removeLocations)
  }
}

function removeObjects(
  bucketId: string,
  remove: (bucketId: string) => Promise<void>
): Promise<void> {
  return tryRemoval(
    bucketId,
    () => remove(bucketId),
    'the objects of a deleted bucket could not be removed yet; the sweep does it'
  )
}

async function bucketExists(bucketId: string): Promise<boolean> {
  const { rowCount } = await storagePool().query('select 1 from buckets where id = $1', [bucketId])
  return rowCount === 1
}
