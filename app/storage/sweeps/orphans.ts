import { clock } from '#kernel/clock'
import { storagePool } from '#storage/database'
import { bucketPlace } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import type { Place } from './places.js'

const BATCH = 500

/** What of an object stands in the store, finished or not. */
interface Found {
  readonly key: string
  readonly since: Date
  remove(): Promise<void>
}

export interface SweptPlace {
  readonly removed: number
  /** Objects that files or claims have. */
  readonly known: number
}

const UNKNOWN = `
  select hash from unnest($2::text[]) as hash
  where not exists (select 1 from bucket_files f where f.bucket_id = $1 and f.hash = hash.hash)
    and not exists (
      select 1 from bucket_file_claims c where c.bucket_id = $1 and c.hash = hash.hash)`

/** Removes what stands in a place without a file or a claim, where it has done so for long enough. */
export async function sweepOrphans(
  store: ObjectStore,
  place: Place,
  graceMs: number
): Promise<SweptPlace> {
  const unfinished = await sweepFound(unfinishedIn(store, place), place, graceMs)
  const finished = await sweepFound(finishedIn(store, place), place, graceMs)
  return { removed: unfinished.removed + finished.removed, known: finished.known }
}

async function sweepFound(
  found: AsyncIterable<Found>,
  place: Place,
  graceMs: number
): Promise<SweptPlace> {
  let removed = 0
  let known = 0
  for await (const batch of inBatches(found)) {
    const unknown = await unknownOf(place, batch)
    known += batch.length - unknown.length
    const due = unknown.filter(({ since }) => since.getTime() <= clock.now() - graceMs)
    for (const orphan of due) {
      await orphan.remove()
    }
    removed += due.length
  }
  return { removed, known }
}

async function unknownOf({ bucketId, layout }: Place, batch: readonly Found[]): Promise<Found[]> {
  const { prefix } = bucketPlace(layout, bucketId)
  const hashOf = ({ key }: Found) => key.slice(prefix.length)
  const { rows } = await storagePool().query<{ hash: string }>(UNKNOWN, [
    bucketId,
    batch.map(hashOf),
  ])
  const unknown = new Set(rows.map(({ hash }) => hash))
  return batch.filter((found) => unknown.has(hashOf(found)))
}

async function* finishedIn(store: ObjectStore, place: Place): AsyncGenerator<Found> {
  const { container, prefix } = bucketPlace(place.layout, place.bucketId)
  for await (const { key, modifiedAt } of store.list(container, prefix)) {
    yield { key, since: modifiedAt, remove: () => store.delete({ container, key }) }
  }
}

async function* unfinishedIn(store: ObjectStore, place: Place): AsyncGenerator<Found> {
  const { container, prefix } = bucketPlace(place.layout, place.bucketId)
  for await (const unfinished of store.unfinished(container, prefix)) {
    const { key, startedAt } = unfinished
    yield { key, since: startedAt, remove: () => unfinished.discard() }
  }
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < BATCH) {
      continue
    }
    yield batch
    batch = []
  }
  if (batch.length > 0) {
    yield batch
  }
}
