import type { RemoteSurface } from '#auth/remote_surface'
import { orUnavailable } from '#auth/or_unavailable'
import { ownRequest, type OwnRequestOptions } from '#auth/own_request'
import type { BucketLocks } from './bucket_locks.js'

/** The page size of storage. */
const PAGE_SIZE = 500
/** Storage waits for uploads that are being completed. */
const TIMEOUT_MS = 20_000

/** The bucket locks of a storage that runs elsewhere. */
export function remoteBucketLocks(storage: RemoteSurface): BucketLocks {
  return {
    pageSize: PAGE_SIZE,
    async lock(locks) {
      await request(storage, '/bucket-locks', {
        method: 'POST',
        body: { locks },
        limitMs: TIMEOUT_MS,
      })
    },
    async release(id) {
      await request(storage, `/bucket-locks/${id}`, { method: 'DELETE' })
    },
    async list(after) {
      const text = await request(storage, `/bucket-locks?after=${after}`)
      const { data } = JSON.parse(text) as { data: { id: string; createdAt: string }[] }
      return data.map(({ id, createdAt }) => ({ id, createdAt: new Date(createdAt) }))
    },
  }
}

async function request(
  storage: RemoteSurface,
  path: string,
  options: OwnRequestOptions = {}
): Promise<string> {
  const message = 'Storage cannot lock or release the code of the analysis now: try again shortly'
  return orUnavailable({ service: 'storage', message }, async () => {
    const { status, text } = await ownRequest(storage, path, options)
    if (status >= 300) {
      throw new Error(`status ${status}`)
    }
    return text
  })
}
