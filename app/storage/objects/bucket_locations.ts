import type pg from 'pg'

import { storagePool } from '#storage/database'
import { emptyLocation } from './empty_location.js'
import { statement } from '#query/sql/statement'
import { ContainerNotEmpty } from './errors.js'
import { bucketLocation, type Layout } from './layout.js'
import { activeLayout, objectStore } from './store.js'

const MAX_READY = 10_000

/** What is wanted again counts as new, so that the sweep leaves it alone. */
const REGISTER = `insert into bucket_places (bucket_id, layout) values ($1, $2)
  on conflict (bucket_id, layout) do update set made_at = now() returning xmax = 0 as "isNew"`

/** Places that this process has seen ready, so that not every upload asks for them. */
const ready = new Set<string>()

/**
 * Makes room for the objects of a bucket in the layout of now, unless this process knows that there is, and answers the layout.
 * The place is written down before anything is made, so that whatever happens next leaves something to be found.
 */
export async function prepareLocation(bucketId: string, region?: string | null): Promise<Layout> {
  const layout = activeLayout()
  if (!ready.has(readyKey(bucketId, layout))) {
    await createLocation(bucketId, layout, region)
  }
  return layout
}

/** As `preparePlace`, where the container may have gone although it was there. */
export async function restoreLocation(bucketId: string, region?: string | null): Promise<void> {
  await createLocation(bucketId, activeLayout(), region)
}

/** The layouts in which objects of a bucket may be. */
export async function layoutsOf(bucketId: string): Promise<Layout[]> {
  const { rows } = await storagePool().query<{ layout: Layout }>(
    'select layout from bucket_places where bucket_id = $1 order by layout',
    [bucketId]
  )
  return rows.map(({ layout }) => layout)
}

/** Removes every object of a bucket that is no more, then its containers, then what says that they are there. */
export async function removeLocations(bucketId: string): Promise<void> {
  for (const layout of await layoutsOf(bucketId)) {
    await removeLocation(bucketId, layout)
  }
}

/** As `vacate`, for places that something may still arrive at: they stay known, and are looked at again. */
export async function emptyLocations(bucketId: string): Promise<void> {
  for (const layout of await layoutsOf(bucketId)) {
    ready.delete(readyKey(bucketId, layout))
    await emptyLayout(bucketId, layout)
  }
}

/** As `vacate`, for one layout. Answers how many objects were removed. */
export async function removeLocation(bucketId: string, layout: Layout): Promise<number> {
  ready.delete(readyKey(bucketId, layout))
  const count = await emptyLayout(bucketId, layout)
  await storagePool().query('delete from bucket_places where bucket_id = $1 and layout = $2', [
    bucketId,
    layout,
  ])
  return count
}

/** Writes down that there will be a place in the layout of now; false where that is known already. */
export async function registerLocation(
  database: pg.Pool | pg.ClientBase,
  bucketId: string
): Promise<boolean> {
  const { rows } = await database.query<{ isNew: boolean }>(
    statement(REGISTER, [bucketId, activeLayout()])
  )
  return rows[0]!.isNew
}

async function createLocation(bucketId: string, layout: Layout, region?: string | null) {
  await storagePool().query(statement(REGISTER, [bucketId, layout]))
  const store = await objectStore()
  const ownRegion = layout === 'own' ? (region ?? undefined) : undefined
  await store.makeContainer(bucketLocation(layout, bucketId).container, ownRegion)
  markReady(readyKey(bucketId, layout))
}

/** What still arrives while a container is emptied is removed in a second go. */
async function emptyLayout(bucketId: string, layout: Layout): Promise<number> {
  const store = await objectStore()
  const location = bucketLocation(layout, bucketId)
  const count = await emptyLocation(store, location)
  if (layout !== 'own') {
    return count
  }
  try {
    await store.removeContainer(location.container)
    return count
  } catch (error) {
    if (!(error instanceof ContainerNotEmpty)) {
      throw error
    }
  }
  const lateCount = await emptyLocation(store, location)
  await store.removeContainer(location.container)
  return count + lateCount
}

function markReady(name: string): void {
  if (ready.size >= MAX_READY) {
    ready.delete(ready.values().next().value!)
  }
  ready.add(name)
}

const readyKey = (bucketId: string, layout: Layout) => `${layout} ${bucketId}`
