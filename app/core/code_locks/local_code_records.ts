import app from '@adonisjs/core/services/app'

import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import type { Origin } from '#kernel/origin'
import type { Removable } from './storage_removals.js'

/** Removes the records of what storage is about to delete from a locked bucket. */
export async function removeCodeRecords(origin: Origin, removable: Removable): Promise<void> {
  const { container } = app
  if ('file' in removable) {
    const files = await container.make(AnalysisBucketFileService)
    await files.removeBeforeStorage(origin, removable.file)
  } else {
    const buckets = await container.make(AnalysisBucketService)
    await buckets.removeBeforeStorage(origin, removable.bucket)
  }
}
