import type { BucketLocation } from './layout.js'
import type { ObjectStore } from './object_store.js'

const CONCURRENT_DELETES = 16

/**
 * Deletes every object of a bucket, finished or not, and tells how many there were. Object by object, because not every
 * S3 server takes a list of them; only those under way are held in memory.
 */
export async function emptyLocation(
  store: ObjectStore,
  { container, prefix }: BucketLocation
): Promise<number> {
  for await (const unfinished of store.unfinished(container, prefix)) {
    await unfinished.discard()
  }
  let keys: string[] = []
  let count = 0
  const deleteBatch = async () => {
    await Promise.all(keys.map((key) => store.delete({ container, key })))
    count += keys.length
    keys = []
  }
  for await (const { key } of store.list(container, prefix)) {
    keys.push(key)
    if (keys.length === CONCURRENT_DELETES) {
      await deleteBatch()
    }
  }
  await deleteBatch()
  return count
}
