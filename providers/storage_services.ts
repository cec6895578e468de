import type { ApplicationService } from '@adonisjs/core/types'

import { health } from '#observability/health'
import { EventSink } from '#records/events'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { BucketService } from '#storage/buckets/bucket_service'
import { env } from '#start/env'
import { storagePool } from '#storage/database'
import type { ObjectStore } from '#storage/objects/object_store'
import { bucketLocation, currentLayout } from '#storage/objects/layout'
import { ResumableService } from '#storage/resumable/resumable_service'
import { openObjectStore } from '#storage/objects/open_object_store'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    /** The object store, opened at its first use and closed with the application. */
    objectStore: ObjectStore
  }
}

/** Binds the services of storage, one for each kind, and its object store. */
export function wireStorage(app: ApplicationService): void {
  const { container } = app
  container.singleton('objectStore', async () => {
    const store = await openObjectStore(env)
    app.terminating(() => store.close())
    return store
  })
  if (env.S3_ENDPOINT && env.SURFACES.includes('storage')) {
    const { container: place, prefix } = bucketLocation(currentLayout(env), 'health')
    health.watchOptional('object store', async () => {
      const store = await container.make('objectStore')
      await store.list(place, prefix)[Symbol.asyncIterator]().next()
    })
  }
  container.singleton(ResumableService, () => new ResumableService(env.UPLOAD_MAX_BYTES))
  const options = async () => ({ pool: storagePool(), sink: await container.make(EventSink) })
  container.singleton(BucketService, async () => new BucketService(await options()))
  container.singleton(BucketFileService, async () => new BucketFileService(await options()))
}
