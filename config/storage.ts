import { currentLayout } from '#storage/objects/layout'
import type { StorageSettings } from '#storage/storage_settings'
import { env } from '#start/env'

const settings: StorageSettings = {
  layout: currentLayout(env),
  uploadMaxBytes: env.UPLOAD_MAX_BYTES,
  uploadMaxFiles: env.UPLOAD_MAX_FILES,
  isRealmStrict: env.STORAGE_STRICT_REALM,
}

export default settings
