import { ServiceUnavailable } from '#kernel/failures'
import type { RemoteSurface } from '#auth/own_fetch'
import { ownRequest } from '#auth/own_request'

interface BucketResponse {
  readonly data: { readonly realmId: string | null }
}

/** The realm of a bucket, asked of storage at its address; undefined where it has none with this id. */
export async function fetchBucketRealm(
  storage: RemoteSurface,
  id: string
): Promise<string | null | undefined> {
  try {
    const { status, text } = await ownRequest(storage, `/buckets/${id}?fields=realmId`)
    if (status === 404) {
      return undefined
    }
    if (status !== 200) {
      throw new Error(`it answered with the status ${status}`)
    }
    return (JSON.parse(text) as BucketResponse).data.realmId
  } catch (error) {
    const cause = new Error(`storage was asked in vain: ${(error as Error).message}`)
    const message = 'Whose the bucket is cannot be told now; try again shortly'
    throw new ServiceUnavailable(message, { cause, headers: { 'retry-after': '5' } })
  }
}
