import type pg from 'pg'

import { tryRemoval } from '#storage/sweeps/try_removal'
import { emptyLocations, removeLocations } from '#storage/objects/bucket_locations'
import { Bucket } from './bucket.js'

/**
 * Prepares the removal of a locked bucket; call the returned function after the commit. If uploads into the bucket
 * are pending, its locations stay registered, so that the sweep checks them again.
 */
export async function prepareRemoval(
  transaction: pg.ClientBase,
  bucketId: string
): Promise<() => Promise<void>> {
  await transaction.query(
    'update bucket_locations set registered_at = now() where bucket_id = $1',
    [bucketId]
  )
  const { rowCount } = await transaction.query(
    'select 1 from bucket_file_claims where bucket_id = $1 limit 1',
    [bucketId]
  )
  return () => removeObjects(bucketId, rowCount === 0 ? removeLocations : emptyLocations)
}

/**
 * Removes the locations of a bucket that was not created. If it was, although the commit was not confirmed, they
 * stay.
 */
export async function removeUnusedLocations(bucketId: string): Promise<void> {
  const exists = await Bucket.find(bucketId).catch(() => true)
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
    'the objects of a deleted bucket could not be removed now; the sweep removes them'
  )
}
