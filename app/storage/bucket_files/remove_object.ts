import { tryRemoval } from '#storage/sweeps/try_removal'
import { objectAddress } from '#storage/objects/layout'
import { objectStore } from '#storage/objects/store'

import type { FileRow } from './file_row.js'

/** Removes the object of a deleted file; if the store is unavailable, the sweep does. */
export function removeObject({ layout, bucketId, hash }: FileRow): Promise<void> {
  return tryRemoval(
    bucketId,
    async () => {
      const store = await objectStore()
      await store.delete(objectAddress(layout, bucketId, hash))
    },
    'the object of a deleted file could not be removed now; the sweep removes it'
  )
}
