import app from '@adonisjs/core/services/app'

import { storageSettings } from '#storage/storage_settings'
import type { Layout } from './layout.js'
import { ObjectStore } from './object_store.js'

/** The object store of this process. */
export function objectStore(): Promise<ObjectStore> {
  return app.container.make(ObjectStore)
}

/** The layout of new objects. */
export function activeLayout(): Layout {
  return storageSettings().layout
}
