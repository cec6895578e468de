import type pg from 'pg'

import { storagePool } from '#storage/database'
import { emptyPlace } from './empty_place.js'
import { ContainerNotEmpty } from './errors.js'
import { bucketPlace, type Layout } from './layout.js'
import { layoutNow, objectStore } from './store.js'

const REMEMBERED = 10_000

/** What is wanted again counts as new, so that the sweep leaves it alone. */
const ANNOUNCE = `insert into bucket_places (bucket_id, layout) values ($1, $2)
  on conflict (bucket_id, layout) do update set made_at = now() returning xmax = 0 as "isNew"`

/** Places that this process has seen ready, so that not every upload asks for them. */
const ready = new Set<string>()

/**
 * Makes room for the objects of a bucket in the layout of now, unless this process knows that there is, and answers the layout.
 * The place is written down before anything is made, so that whatever happens next leaves something to be found.
 */
export async function preparePlace(bucketId: string, region?: string | null): Promise<Layout> {
  const layout = layoutNow()
  if (!ready.has(nameOf(bucketId, layout))) {
    await makePlace(bucketId, layout, region)
  }
  return layout
}

/** As `preparePlace`, where the container may have gone although it was there. */
export async function restorePlace(bucketId: string, region?: string | null): Promise<void> {
  await makePlace(bucketId, layoutNow(), region)
}

/** The layouts in which objects of a bucket may be. */
export async function placesOf(bucketId: string): Promise<Layout[]> {
  const { rows } = await storagePool().query<{ layout: Layout }>(
    'select layout from bucket_places where bucket_id = $1 order by layout',
    [bucketId]
  )
  return rows.map(({ layout }) => layout)
}

/** Removes every object of a bucket that is no more, then its containers, then what says that they are there. */
export async function vacate(bucketId: string): Promise<void> {
  for (const layout of await placesOf(bucketId)) {
    await vacatePlace(bucketId, layout)
  }
}

/** As `vacate`, for places that something may still arrive at: they stay known, and are looked at again. */
export async function clear(bucketId: string): Promise<void> {
  for (const layout of await placesOf(bucketId)) {
    ready.delete(nameOf(bucketId, layout))
    await emptyOne(bucketId, layout)
  }
}

/** As `vacate`, for one layout. Answers how many objects were removed. */
export async function vacatePlace(bucketId: string, layout: Layout): Promise<number> {
  ready.delete(nameOf(bucketId, layout))
  const count = await emptyOne(bucketId, layout)
  await storagePool().query('delete from bucket_places where bucket_id = $1 and layout = $2', [
    bucketId,
    layout,
  ])
  return count
}

/** Writes down that there will be a place in the layout of now; false where that is known already. */
export async function announcePlace(
  database: pg.Pool | pg.ClientBase,
  bucketId: string
): Promise<boolean> {
  const { rows } = await database.query<{ isNew: boolean }>(ANNOUNCE, [bucketId, layoutNow()])
  return rows[0]!.isNew
}

async function makePlace(bucketId: string, layout: Layout, region?: string | null) {
  await storagePool().query(ANNOUNCE, [bucketId, layout])
  const store = await objectStore()
  const ownRegion = layout === 'own' ? (region ?? undefined) : undefined
  await store.makeContainer(bucketPlace(layout, bucketId).container, ownRegion)
  remember(nameOf(bucketId, layout))
}

/** What still arrives while a container is emptied is removed in a second go. */
async function emptyOne(bucketId: string, layout: Layout): Promise<number> {
  const store = await objectStore()
  const place = bucketPlace(layout, bucketId)
  const count = await emptyPlace(store, place)
  if (layout !== 'own') {
    return count
  }
  try {
    await store.removeContainer(place.container)
    return count
  } catch (error) {
    if (!(error instanceof ContainerNotEmpty)) {
      throw error
    }
  }
  const late = await emptyPlace(store, place)
  await store.removeContainer(place.container)
  return count + late
}

function remember(name: string): void {
  if (ready.size >= REMEMBERED) {
    ready.delete(ready.values().next().value!)
  }
  ready.add(name)
}

const nameOf = (bucketId: string, layout: Layout) => `${layout} ${bucketId}`
