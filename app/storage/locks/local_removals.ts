import app from '@adonisjs/core/services/app'

import { serviceOrigin } from '#auth/service_origin'
import { ignoreNotFound } from '#records/ignore_not_found'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { BucketService } from '#storage/buckets/bucket_service'
import type { LockedRemoval } from './code_records.js'

/** Deletes what core has removed from an analysis, in the name of the platform. Something missing counts as deleted. */
export async function removeForCore(removal: LockedRemoval): Promise<void> {
  const origin = await serviceOrigin()
  const { container } = app
  if ('file' in removal) {
    const files = await container.make(BucketFileService)
    await ignoreNotFound(files.removeForCore(origin, removal.file))
  } else {
    const buckets = await container.make(BucketService)
    await ignoreNotFound(buckets.removeForCore(origin, removal.bucket))
  }
}
