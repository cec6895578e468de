import type { Logger } from '@adonisjs/core/logger'

import { isAdopting } from '#database/is_adopting'
import type { Sweep } from '#jobs/sweep'
import { storagePool } from '#storage/database'
import { objectStore } from '#storage/objects/store'
import { removeExpiredUploads } from '#storage/resumable/resumable_uploads'
import { sweepExpiredClaims } from './expired_claims.js'
import { sweepAbandonedLocations, sweepObjects } from './object_sweep.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** An upload may still renew its expired claim after a short outage of the database. */
const CLAIM_GRACE_MS = MINUTE_MS

/** Locations are created before their buckets. */
const LOCATION_GRACE_MS = 10 * MINUTE_MS

const OBJECT_GRACE_MS = HOUR_MS

/** The sweeps of interrupted uploads and deletions. */
export function storageSweeps(logger: Pick<Logger, 'error'>): Sweep[] {
  return [
    {
      name: 'uploads',
      schedule: { everyMs: 5 * MINUTE_MS },
      run: async (signal) => {
        const claims = await sweepExpiredClaims(await objectStore(), CLAIM_GRACE_MS, signal)
        const uploads = await removeExpiredUploads()
        return claims + uploads + (await sweepAbandonedLocations(LOCATION_GRACE_MS, signal))
      },
    },
    {
      name: 'objects',
      schedule: { everyMs: HOUR_MS },
      run: async (signal) =>
        // During an adoption, an object without a file may belong to a file that is not adopted yet.
        (await isAdopting(storagePool()))
          ? 0
          : sweepObjects({ store: await objectStore(), graceMs: OBJECT_GRACE_MS, signal, logger }),
    },
  ]
}
