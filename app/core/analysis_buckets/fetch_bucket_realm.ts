import type { RemoteSurface } from '#auth/remote_surface'
import { orUnavailable } from '#auth/or_unavailable'
import { ownRequest } from '#auth/own_request'

interface BucketResponse {
  readonly data: { readonly realmId: string | null }
}

/** The realm of a bucket at a storage that runs elsewhere; undefined if the bucket does not exist. */
export async function fetchBucketRealm(
  storage: RemoteSurface,
  id: string
): Promise<string | null | undefined> {
  const message = 'The realm of the bucket cannot be read now: try again shortly'
  return orUnavailable({ service: 'storage', message }, async () => {
    const { status, text } = await ownRequest(storage, `/buckets/${id}?fields=realmId`)
    if (status === 404) {
      return undefined
    }
    if (status !== 200) {
      throw new Error(`status ${status}`)
    }
    return (JSON.parse(text) as BucketResponse).data.realmId
  })
}
