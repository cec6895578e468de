import { to } from 'pg-copy-streams'

import type { ObjectsPart } from '#backup/manifest'
import { pack, unpack, type PackedContent } from '#backup/pack'
import type { Snapshot } from '#backup/tables/snapshot'
import type { BackupContext } from '#backup/tables/take_tables'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import { ContentMismatch, verifiedBytes } from './verified_bytes.js'
import { ObjectTally } from './object_tally.js'
import {
  inSections,
  lineOf,
  OBJECT_LIST,
  partOf,
  readObjects,
  type ObjectOutcome,
  type CopiedObject,
} from './object_list.js'
import { inParallel } from '#kernel/in_parallel'

const AT_ONCE = 16

/** The objects to copy, as of the snapshot. */
export interface ObjectsToCopy {
  readonly part: string
  readonly content: PackedContent
  readonly places: ObjectsPart['places']
}

/** Lists the objects of a snapshot. The snapshot may end afterwards, since objects are not removed meanwhile. */
export async function listObjects(
  { leader }: Snapshot,
  { backupStore, prefix, signal }: BackupContext
): Promise<ObjectsToCopy> {
  const part = `${prefix}wanted-objects.zst`
  const content = await pack(
    backupStore,
    part,
    leader.query(to(`copy ${OBJECT_LIST} to stdout`)),
    signal
  )
  const { rows } = await leader.query<ObjectsPart['places'][number]>(
    'select bucket_id as "bucketId", layout from bucket_locations order by 1, 2'
  )
  return { part, content, places: rows }
}

/** Copies the objects that the backup does not have yet, and verifies their digests. */
export async function takeObjects(
  store: ObjectStore,
  { part, content, places }: ObjectsToCopy,
  taking: BackupContext
): Promise<ObjectsPart> {
  const { backupStore, prefix, signal, progress } = taking
  const tally = new ObjectTally((text) => progress(text))
  const listPart = `${prefix}objects.zst`
  let list: PackedContent | undefined
  const takeListed = async (chunks: AsyncIterable<Buffer>) => {
    list = await pack(
      backupStore,
      listPart,
      linesOf(store, readObjects(chunks), { ...taking, tally }),
      signal
    )
  }
  await unpack(backupStore, part, content, takeListed, signal)
  await backupStore.remove(part)
  return { part: listPart, ...list!, ...tally.counts(), places }
}

type ObjectBackupContext = BackupContext & { tally: ObjectTally }

async function* linesOf(
  store: ObjectStore,
  objects: AsyncIterable<CopiedObject>,
  taking: ObjectBackupContext
): AsyncGenerator<string> {
  for await (const { section, objects: some } of inSections(objects)) {
    await taking.backupStore.tidy(section)
    const sizes = new Map<string, number>()
    for await (const { name, size } of taking.backupStore.list(section)) {
      sizes.set(name, size)
    }
    const takeOne = async (object: CopiedObject) => {
      const outcome = await takeObject(store, object, sizes.get(partOf(object)), taking)
      taking.tally.add({ ...object, outcome })
      return lineOf({ ...object, outcome })
    }
    yield* await inParallel(some, AT_ONCE, takeOne)
  }
}

/** Objects are immutable, so equal name and size mean equal content. */
async function takeObject(
  store: ObjectStore,
  object: CopiedObject,
  storedSize: number | undefined,
  { backupStore, signal }: BackupContext
): Promise<ObjectOutcome> {
  signal.throwIfAborted()
  if (storedSize !== undefined && storedSize === (object.size ?? storedSize)) {
    return 'kept'
  }
  const { layout, bucketId, hash, size } = object
  try {
    const source = await store.read(objectAddress(layout, bucketId, hash))
    await backupStore.put(partOf(object), verifiedBytes(object, source), {
      signal,
      ...(size !== null && { expectedBytes: size }),
    })
    return 'kept'
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return 'gone'
    }
    if (error instanceof ContentMismatch) {
      return 'damaged'
    }
    throw error
  }
}
