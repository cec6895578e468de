import type { RemoteSurface } from '#auth/remote_surface'
import { orUnavailable } from '#auth/or_unavailable'
import { ownRequest } from '#auth/own_request'
import type { StorageRemovals } from './storage_removals.js'

/** A bucket may have many files. */
const TIMEOUT_MS = 60_000

/** Removals at a storage that runs elsewhere. */
export function remoteStorageRemovals(storage: RemoteSurface): StorageRemovals {
  return {
    remove(removable) {
      const message = 'Storage cannot delete what was removed from an analysis now'
      return orUnavailable({ service: 'storage', message }, async () => {
        const { status } = await ownRequest(storage, '/bucket-removals', {
          method: 'POST',
          body: removable,
          limitMs: TIMEOUT_MS,
        })
        if (status >= 300) {
          throw new Error(`status ${status}`)
        }
      })
    },
  }
}
