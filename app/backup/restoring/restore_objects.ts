import type { ObjectsPart } from '#backup/manifest'
import { ContentMismatch, verifiedBytes } from '#backup/objects/verified_bytes'
import { inSections, partOf, readObjects, type CopiedObject } from '#backup/objects/object_list'
import { inParallel } from '#kernel/in_parallel'
import { ObjectTally } from '#backup/objects/object_tally'
import { unpack } from '#backup/pack'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectAddress, ObjectStore } from '#storage/objects/object_store'
import type { RestoreContext } from './load_tables.js'

const AT_ONCE = 16

export type RestoreCounts = ReturnType<ObjectTally['counts']>

/** Restores objects to the configured layout and verifies their digests. Skips those that exist. */
export async function restoreObjects(
  store: ObjectStore,
  list: ObjectsPart,
  { backupStore, signal, progress, layout }: RestoreContext & { readonly layout: Layout }
): Promise<RestoreCounts> {
  const tally = new ObjectTally(progress)
  const containers = new Map<string, Promise<void>>()
  const restoreOne = async (object: CopiedObject) => {
    signal.throwIfAborted()
    const outcome = await restore(object)
    tally.add({ ...object, outcome })
  }
  const restore = async (object: CopiedObject): Promise<CopiedObject['outcome']> => {
    const { bucketId, hash, region, size } = object
    const address = objectAddress(layout, bucketId, hash)
    if (object.outcome !== 'kept' || (await isStored(store, address, size))) {
      return object.outcome
    }
    const created =
      containers.get(address.container) ??
      store.makeContainer(address.container, layout === 'own' ? (region ?? undefined) : undefined)
    containers.set(address.container, created)
    await created
    try {
      await store.put(address, verifiedBytes(object, await backupStore.read(partOf(object))), {
        signal,
        ...(size !== null && { expectedBytes: size }),
      })
      return 'kept'
    } catch (error) {
      if (error instanceof ContentMismatch) {
        return 'damaged'
      }
      if (error instanceof ObjectMissing) {
        return 'gone'
      }
      throw error
    }
  }
  const restoreListed = async (chunks: AsyncIterable<Buffer>) => {
    for await (const { objects } of inSections(readObjects(chunks))) {
      await inParallel(objects, AT_ONCE, restoreOne)
    }
  }
  await unpack(backupStore, list.part, list, restoreListed, signal)
  return tally.counts()
}

async function isStored(store: ObjectStore, address: ObjectAddress, size: number | null) {
  try {
    const facts = await store.stat(address)
    return size === null || facts.size === size
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return false
    }
    throw error
  }
}
