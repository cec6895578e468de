import type { ApplicationService } from '@adonisjs/core/types'

import { health } from '#observability/health'
import { CachedReach } from '#storage/access/cached_reach'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { Heartbeat } from '#storage/claims/heartbeat'
import { OpenDownloads } from '#storage/downloads/open_downloads'
import { BucketService } from '#storage/buckets/bucket_service'
import { env } from '#start/env'
import { StorageRecords } from '#storage/storage_records'
import { ObjectStore } from '#storage/objects/object_store'
import { bucketLocation, currentLayout } from '#storage/objects/layout'
import { ResumableService } from '#storage/resumable/resumable_service'
import { StorageUsage } from '#storage/usage/storage_usage'
import { openObjectStore } from '#storage/objects/open_object_store'
import { makeOnce } from './made_once.js'

/** Binds the services of storage, and its object store, which is opened at its first use. */
export function wireStorage(app: ApplicationService): void {
  const { container } = app
  container.singleton(ObjectStore, async () => {
    const store = await openObjectStore(env)
    app.terminating(() => store.close())
    return store
  })
  if (env.S3_ENDPOINT && env.SURFACES.includes('storage')) {
    const { container: place, prefix } = bucketLocation(currentLayout(env), 'health')
    health.watchOptional('object store', async () => {
      const store = await container.make(ObjectStore)
      await store.list(place, prefix)[Symbol.asyncIterator]().next()
    })
  }
  makeOnce(container, [
    StorageRecords,
    CachedReach,
    BucketService,
    BucketFileService,
    Heartbeat,
    OpenDownloads,
    ResumableService,
    StorageUsage,
  ])
}
