import { storagePool } from '#storage/database'
import { bucketLocation, objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'

const BATCH_SIZE = 100

interface ExpiredClaim {
  readonly bucketId: string
  readonly layout: Layout
  readonly hash: string
}

/**
 * The object may be stored, fully or in part. Without a claim, the sweep of objects finds what is not removed here.
 */
const REMOVE_EXPIRED = `
  delete from bucket_file_claims where id = any(array(
    select id from bucket_file_claims where expires_at < now() - $1 * interval '1 millisecond'
    order by expires_at limit ${BATCH_SIZE} for update skip locked))
  returning bucket_id as "bucketId", layout, hash`

/** Removes expired claims with their objects. */
export async function sweepExpiredClaims(
  store: ObjectStore,
  graceMs: number,
  signal: AbortSignal
): Promise<number> {
  let swept = 0
  let batch = BATCH_SIZE
  while (batch === BATCH_SIZE && !signal.aborted) {
    const { rows } = await storagePool().query<ExpiredClaim>(REMOVE_EXPIRED, [graceMs])
    for (const claims of Object.values(Object.groupBy(rows, locationKey))) {
      await removeObjects(store, claims!)
    }
    batch = rows.length
    swept += batch
  }
  return swept
}

/** Removes the objects of claims of one location. */
async function removeObjects(store: ObjectStore, claims: readonly ExpiredClaim[]): Promise<void> {
  const { bucketId, layout } = claims[0]!
  const { container, prefix } = bucketLocation(layout, bucketId)
  const addresses = claims.map(({ hash }) => objectAddress(layout, bucketId, hash))
  const keys = new Set(addresses.map(({ key }) => key))
  for await (const unfinished of store.unfinished(container, prefix)) {
    if (keys.has(unfinished.key)) {
      await unfinished.discard()
    }
  }
  for (const address of addresses) {
    await store.delete(address)
  }
}

const locationKey = ({ bucketId, layout }: ExpiredClaim) => `${bucketId} ${layout}`
