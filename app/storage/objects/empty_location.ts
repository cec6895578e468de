import type { BucketLocation } from './layout.js'
import type { ObjectStore } from './object_store.js'

const CONCURRENT_DELETES = 16

/**
 * Deletes all objects of a bucket, incomplete ones included, and returns how many there were. Deletes one by one,
 * because some S3 servers do not support bulk deletion.
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
