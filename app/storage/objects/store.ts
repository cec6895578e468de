import app from '@adonisjs/core/services/app'

import { env } from '#start/env'
import { currentLayout, type Layout } from './layout.js'
import type { ObjectStore } from './object_store.js'

/** The object store of this process. */
export function objectStore(): Promise<ObjectStore> {
  return app.container.make('objectStore')
}

/** The layout of new objects. */
export function activeLayout(): Layout {
  return currentLayout(env)
}
