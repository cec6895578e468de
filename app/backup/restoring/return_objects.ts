import type { ObjectsPart } from '#backup/manifest'
import { OtherBytes, sameBytes } from '#backup/objects/copied_object'
import { inSections, partOf, readObjects, type ObjectFate } from '#backup/objects/object_list'
import { inParallel } from '#kernel/in_parallel'
import { Tally } from '#backup/objects/tally'
import { unpack } from '#backup/packed'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectAddress, ObjectStore } from '#storage/objects/object_store'
import type { Restoring } from './load_tables.js'

const AT_ONCE = 16

/** What came of the objects of a backup. */
export type Returned = ReturnType<Tally['counts']>

/** Brings objects to where this installation has them, each compared with its digest. Those that are there already are left alone. */
export async function returnObjects(
  store: ObjectStore,
  list: ObjectsPart,
  { place, signal, progress, layout }: Restoring & { readonly layout: Layout }
): Promise<Returned> {
  const tally = new Tally(progress)
  const containers = new Map<string, Promise<void>>()
  const returnOne = async (object: ObjectFate) => {
    signal.throwIfAborted()
    const fate = await returned(object)
    tally.note({ ...object, fate })
  }
  const returned = async (object: ObjectFate): Promise<ObjectFate['fate']> => {
    const { bucketId, hash, region, size } = object
    const address = objectAddress(layout, bucketId, hash)
    if (object.fate !== 'kept' || (await isThere(store, address, size))) {
      return object.fate
    }
    const made =
      containers.get(address.container) ??
      store.makeContainer(address.container, layout === 'own' ? (region ?? undefined) : undefined)
    containers.set(address.container, made)
    await made
    try {
      await store.put(address, sameBytes(object, await place.read(partOf(object))), {
        signal,
        ...(size !== null && { expectedBytes: size }),
      })
      return 'kept'
    } catch (error) {
      if (error instanceof OtherBytes) {
        return 'damaged'
      }
      if (error instanceof ObjectMissing) {
        return 'gone'
      }
      throw error
    }
  }
  const returnListed = async (chunks: AsyncIterable<Buffer>) => {
    for await (const { objects } of inSections(readObjects(chunks))) {
      await inParallel(objects, AT_ONCE, returnOne)
    }
  }
  await unpack(place, list.part, list, returnListed, signal)
  return tally.counts()
}

async function isThere(store: ObjectStore, address: ObjectAddress, size: number | null) {
  try {
    const found = await store.stat(address)
    return size === null || found.size === size
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return false
    }
    throw error
  }
}
