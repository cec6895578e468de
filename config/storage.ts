import { currentLayout } from '#storage/objects/layout'
import type { StorageSettings } from '#storage/storage_settings'
import { env } from '#start/env'

const settings: StorageSettings = {
  layout: currentLayout(env),
  uploadMaxBytes: env.UPLOAD_MAX_BYTES,
  uploadMaxFiles: env.UPLOAD_MAX_FILES,
  downloads: { perIdentity: env.DOWNLOADS_MAX_PER_IDENTITY, perRealm: 512, inAll: 1_024 },
  resumable: {
    uploadsPerActor: env.RESUMABLE_UPLOADS_PER_ACTOR,
    uploadsPerBucket: env.RESUMABLE_UPLOADS_PER_BUCKET,
    bytesPerActor: env.RESUMABLE_BYTES_PER_ACTOR,
    bytesPerBucket: env.RESUMABLE_BYTES_PER_BUCKET,
  },
  isRealmStrict: env.STORAGE_STRICT_REALM,
}

export default settings
