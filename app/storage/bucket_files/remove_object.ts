import { objectAddress } from '#storage/objects/layout'
import { objectStore } from '#storage/objects/store'

import type { FileRow } from './file_row.js'

/** Removes the object of a file that was removed; where the store is away, the sweep does it. */
export async function removeObject({ layout, bucketId, hash }: FileRow): Promise<void> {
  try {
    const store = await objectStore()
    await store.delete(objectAddress(layout, bucketId, hash))
  } catch (error) {
    const { default: logger } = await import('@adonisjs/core/services/logger')
    logger.warn(
      { err: error, bucketId },
      'the object of a deleted file could not be removed yet; the sweep does it'
    )
  }
}
