import type { ApplicationService } from '@adonisjs/core/types'

import { eventSink } from '#records/event_sink'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { BucketService } from '#storage/buckets/bucket_service'
import { storagePool } from '#storage/database'

const options = () => ({ pool: storagePool(), sink: eventSink })

/** Wires the services of storage, one for each kind. */
export function wireStorage({ container }: ApplicationService): void {
  container.singleton(BucketService, () => new BucketService(options()))
  container.singleton(BucketFileService, () => new BucketFileService(options()))
}
