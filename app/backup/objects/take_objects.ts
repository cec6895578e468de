import { to } from 'pg-copy-streams'

import type { ObjectsPart } from '#backup/manifest'
import { pack, unpack, type Content } from '#backup/packed'
import type { Snapshot } from '#backup/tables/snapshot'
import type { Taking } from '#backup/tables/take_tables'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import { OtherBytes, sameBytes } from './copied_object.js'
import { Tally } from './tally.js'
import {
  inSections,
  lineOf,
  OBJECT_LIST,
  partOf,
  readObjects,
  type Fate,
  type ObjectFate,
} from './object_list.js'
import { inParallel } from '#kernel/in_parallel'

const AT_ONCE = 16

/** What there is to take, as the snapshot of the tables says. */
export interface Wanted {
  readonly part: string
  readonly content: Content
  readonly places: ObjectsPart['places']
}

/** Lists the objects of a snapshot, which may end then: they are kept where they are. */
export async function listObjects(
  { leader }: Snapshot,
  { place, prefix, signal }: Taking
): Promise<Wanted> {
  const part = `${prefix}wanted-objects.zst`
  const content = await pack(place, part, leader.query(to(`copy ${OBJECT_LIST} to stdout`)), signal)
  const { rows } = await leader.query<ObjectsPart['places'][number]>(
    'select bucket_id as "bucketId", layout from bucket_places order by 1, 2'
  )
  return { part, content, places: rows }
}

/** Takes the objects that are not in the place yet, each of which is compared with the digest of its upload. */
export async function takeObjects(
  store: ObjectStore,
  { part, content, places }: Wanted,
  taking: Taking
): Promise<ObjectsPart> {
  const { place, prefix, signal, progress } = taking
  const tally = new Tally((said) => progress(said))
  const taken = `${prefix}objects.zst`
  let list: Content | undefined
  const takeListed = async (chunks: AsyncIterable<Buffer>) => {
    list = await pack(
      place,
      taken,
      linesOf(store, readObjects(chunks), { ...taking, tally }),
      signal
    )
  }
  await unpack(place, part, content, takeListed, signal)
  await place.remove(part)
  return { part: taken, ...list!, ...tally.counts(), places }
}

type Tallied = Taking & { tally: Tally }

async function* linesOf(
  store: ObjectStore,
  objects: AsyncIterable<ObjectFate>,
  taking: Tallied
): AsyncGenerator<string> {
  for await (const { section, objects: some } of inSections(objects)) {
    await taking.place.tidy(section)
    const sizes = new Map<string, number>()
    for await (const { name, size } of taking.place.list(section)) {
      sizes.set(name, size)
    }
    const takeOne = async (object: ObjectFate) => {
      const fate = await takeObject(store, object, sizes.get(partOf(object)), taking)
      taking.tally.note({ ...object, fate })
      return lineOf({ ...object, fate })
    }
    yield* await inParallel(some, AT_ONCE, takeOne)
  }
}

/** Objects are never changed in place, so that one of the same name and size is the same. */
async function takeObject(
  store: ObjectStore,
  object: ObjectFate,
  sizeThere: number | undefined,
  { place, signal }: Taking
): Promise<Fate> {
  signal.throwIfAborted()
  if (sizeThere !== undefined && sizeThere === (object.size ?? sizeThere)) {
    return 'kept'
  }
  const { layout, bucketId, hash, size } = object
  try {
    const source = await store.read(objectAddress(layout, bucketId, hash))
    await place.put(partOf(object), sameBytes(object, source), {
      signal,
      ...(size !== null && { expectedBytes: size }),
    })
    return 'kept'
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return 'gone'
    }
    if (error instanceof OtherBytes) {
      return 'damaged'
    }
    throw error
  }
}
