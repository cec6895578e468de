import app from '@adonisjs/core/services/app'

import type { Reactions } from '#auth/reactions'
import { realmSweep, type PeopleReader } from '#auth/reconcile_people'
import { serviceOrigin } from '#auth/service_origin'
import type { Sweep } from '#jobs/sweep'
import { ignoreNotFound } from '#records/ignore_not_found'
import { inPages } from '#records/in_pages'
import { Bucket } from './bucket.js'
import { BucketService } from './bucket_service.js'

/** Removes the buckets of deleted realms. */
export const storageReactions: Partial<Reactions> = { realmDeleted: removeBucketsOf }

/** Removes buckets of realms that were deleted while no process listened, or whose removal failed. */
export function bucketRemovalSweep(provider: PeopleReader): Sweep {
  const options = { provider, referencedIds: realmsWithBuckets, removeReferences: removeBucketsOf }
  return { ...realmSweep(options), name: 'buckets-of-deleted-realms' }
}

/** Removes the buckets of a realm as a caller would; returns how many. */
async function removeBucketsOf(realmId: string): Promise<number> {
  const origin = await serviceOrigin()
  const buckets = await app.container.make(BucketService)
  let removed = 0
  for await (const { id } of inPages(Bucket.query().select('id').where('realmId', realmId))) {
    await ignoreNotFound(buckets.removeWithRealm(origin, id))
    removed++
  }
  return removed
}

async function realmsWithBuckets(): Promise<string[]> {
  const buckets = await Bucket.query().distinct('realmId').whereNotNull('realmId')
  return buckets.map(({ realmId }) => realmId!)
}
