import { env } from '#start/env'
import { currentLayout, type Layout } from './layout.js'
import type { ObjectStore } from './object_store.js'
import { openObjectStore } from './open_object_store.js'

let current: Promise<ObjectStore> | undefined

/** The one object store of this process, opened at its first use and closed with the application. */
export function objectStore(): Promise<ObjectStore> {
  current ??= open()
  return current
}

/** How objects are laid out that are stored from now on. */
export function layoutNow(): Layout {
  return currentLayout(env)
}

async function open(): Promise<ObjectStore> {
  const { default: app } = await import('@adonisjs/core/services/app')
  const store = await openObjectStore(env)
  app.terminating(() => {
    current = undefined
    store.close()
  })
  return store
}
