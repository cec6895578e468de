import { storagePool } from '#storage/database'
import { bucketPlace, objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'

const BATCH = 100

interface Expired {
  readonly bucketId: string
  readonly layout: Layout
  readonly hash: string
}

/** The object may have been stored already, or a part of it; what is not removed here has no claim any more, and is found. */
const FORGET = `
  delete from bucket_file_claims where id = any(array(
    select id from bucket_file_claims where held_until < now() - $1 * interval '1 millisecond'
    order by held_until limit ${BATCH} for update skip locked))
  returning bucket_id as "bucketId", layout, hash`

/** Ends claims that were not renewed for so long, with what their holders had stored. */
export async function sweepExpiredClaims(
  store: ObjectStore,
  graceMs: number,
  signal: AbortSignal
): Promise<number> {
  let swept = 0
  let batch = BATCH
  while (batch === BATCH && !signal.aborted) {
    const { rows } = await storagePool().query<Expired>(FORGET, [graceMs])
    for (const claims of Object.values(Object.groupBy(rows, placeNameOf))) {
      await removeStored(store, claims!)
    }
    batch = rows.length
    swept += batch
  }
  return swept
}

/** What claims of one place had stored. */
async function removeStored(store: ObjectStore, claims: readonly Expired[]): Promise<void> {
  const { bucketId, layout } = claims[0]!
  const { container, prefix } = bucketPlace(layout, bucketId)
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

const placeNameOf = ({ bucketId, layout }: Expired) => `${bucketId} ${layout}`
