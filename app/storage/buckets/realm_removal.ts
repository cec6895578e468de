import app from '@adonisjs/core/services/app'

import type { Reactions } from '#auth/reactions'
import { realmSweep } from '#auth/reconcile_people'
import { serviceOrigin } from '#auth/service_origin'
import type { Sweep } from '#jobs/sweep'
import { ignoreNotFound } from '#records/ignore_not_found'
import { BucketService } from './bucket_service.js'
import { storagePool } from '#storage/database'

const PAGE_SIZE = 100

/** Removes the buckets of deleted realms. */
export const storageReactions: Partial<Reactions> = { realmDeleted: removeBucketsOf }

/** Removes buckets of realms that were deleted while no process listened, or whose removal failed. */
export function bucketRemovalSweep(provider: Parameters<typeof realmSweep>[0]['provider']): Sweep {
  const options = { provider, referencedIds: realmsWithBuckets, removeReferences: removeBucketsOf }
  return { ...realmSweep(options), name: 'buckets-of-gone-realms' }
}

/** Removes the buckets of a realm as a caller would; returns how many. */
async function removeBucketsOf(realmId: string): Promise<number> {
  const origin = await serviceOrigin()
  const buckets = await app.container.make(BucketService)
  let removed = 0
  for (let ids = await bucketsOf(realmId); ids.length > 0; ids = await bucketsOf(realmId)) {
    for (const id of ids) {
      await ignoreNotFound(buckets.removeWithRealm(origin, id))
    }
    removed += ids.length
  }
  return removed
}

async function bucketsOf(realmId: string): Promise<string[]> {
  const { rows } = await storagePool().query<{ id: string }>(
    `select id from buckets where realm_id = $1 order by id limit ${PAGE_SIZE}`,
    [realmId]
  )
  return rows.map(({ id }) => id)
}

async function realmsWithBuckets(): Promise<string[]> {
  const { rows } = await storagePool().query<{ id: string }>(
    'select distinct realm_id as id from buckets where realm_id is not null'
  )
  return rows.map(({ id }) => id)
}
