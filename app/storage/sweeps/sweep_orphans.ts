import { clock } from '#kernel/clock'
import { storagePool } from '#storage/database'
import { bucketLocation } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import type { LocationRow } from './location_rows.js'

const BATCH_SIZE = 500

/** An object in the store, complete or not. */
interface StoredObject {
  readonly key: string
  readonly since: Date
  remove(): Promise<void>
}

export interface OrphanSweepResult {
  readonly removed: number
  /** The number of objects with a file or claim. */
  readonly known: number
}

const UNKNOWN = `
  select hash from unnest($2::text[]) as hash
  where not exists (select 1 from bucket_files f where f.bucket_id = $1 and f.hash = hash.hash)
    and not exists (
      select 1 from bucket_file_claims c where c.bucket_id = $1 and c.hash = hash.hash)`

/** Removes objects without a file or claim that are old enough. */
export async function sweepOrphans(
  store: ObjectStore,
  location: LocationRow,
  graceMs: number
): Promise<OrphanSweepResult> {
  const unfinished = await sweepStored(unfinishedObjects(store, location), location, graceMs)
  const finished = await sweepStored(finishedObjects(store, location), location, graceMs)
  return { removed: unfinished.removed + finished.removed, known: finished.known }
}

async function sweepStored(
  objects: AsyncIterable<StoredObject>,
  location: LocationRow,
  graceMs: number
): Promise<OrphanSweepResult> {
  let removed = 0
  let known = 0
  for await (const batch of inBatches(objects)) {
    const unknown = await findUnknown(location, batch)
    known += batch.length - unknown.length
    const due = unknown.filter(({ since }) => since.getTime() <= clock.now() - graceMs)
    for (const orphan of due) {
      await orphan.remove()
    }
    removed += due.length
  }
  return { removed, known }
}

async function findUnknown(
  { bucketId, layout }: LocationRow,
  batch: readonly StoredObject[]
): Promise<StoredObject[]> {
  const { prefix } = bucketLocation(layout, bucketId)
  const hashOf = ({ key }: StoredObject) => key.slice(prefix.length)
  const { rows } = await storagePool().query<{ hash: string }>(UNKNOWN, [
    bucketId,
    batch.map(hashOf),
  ])
  const unknown = new Set(rows.map(({ hash }) => hash))
  return batch.filter((object) => unknown.has(hashOf(object)))
}

async function* finishedObjects(
  store: ObjectStore,
  location: LocationRow
): AsyncGenerator<StoredObject> {
  const { container, prefix } = bucketLocation(location.layout, location.bucketId)
  for await (const { key, modifiedAt } of store.list(container, prefix)) {
    yield { key, since: modifiedAt, remove: () => store.delete({ container, key }) }
  }
}

async function* unfinishedObjects(
  store: ObjectStore,
  location: LocationRow
): AsyncGenerator<StoredObject> {
  const { container, prefix } = bucketLocation(location.layout, location.bucketId)
  for await (const unfinished of store.unfinished(container, prefix)) {
    const { key, startedAt } = unfinished
    yield { key, since: startedAt, remove: () => unfinished.discard() }
  }
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < BATCH_SIZE) {
      continue
    }
    yield batch
    batch = []
  }
  if (batch.length > 0) {
    yield batch
  }
}
