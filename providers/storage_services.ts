import type { ApplicationService } from '@adonisjs/core/types'

import { health } from '#observability/health'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { renewClaims } from '#storage/claims/claims'
import { Heartbeat } from '#storage/claims/heartbeat'
import { BucketService } from '#storage/buckets/bucket_service'
import { env } from '#start/env'
import { StorageRecords } from '#storage/storage_records'
import type { ObjectStore } from '#storage/objects/object_store'
import { bucketLocation, currentLayout } from '#storage/objects/layout'
import { ResumableService } from '#storage/resumable/resumable_service'
import { openObjectStore } from '#storage/objects/open_object_store'
import { makeOnce } from './made_once.js'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    /** The object store, opened at its first use and closed with the application. */
    objectStore: ObjectStore
  }
}

const CLAIMS_NOT_RENEWED =
  'the claims of running uploads could not be renewed; the next attempt follows'

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
  container.singleton(Heartbeat, async (resolver) => {
    const logger = await resolver.make('logger')
    const onFailure = (error: unknown) => logger.warn({ err: error }, CLAIMS_NOT_RENEWED)
    return new Heartbeat({ renew: renewClaims, onFailure })
  })
  container.singleton(ResumableService, () => new ResumableService(env.UPLOAD_MAX_BYTES))
  makeOnce(container, [StorageRecords, BucketService, BucketFileService])
}
