import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { oncePer } from '#kernel/once_per'
import { storagePool } from '#storage/database'
import { emptyLocation } from './empty_location.js'
import { statement } from '#query/sql/statement'
import { ContainerNotEmpty } from './errors.js'
import { bucketLocation, type Layout } from './layout.js'
import { activeLayout, objectStore } from './store.js'

const MAX_READY = 10_000

/** A repeated registration renews the time, so that the sweep skips the location. */
const REGISTER = `insert into bucket_locations (bucket_id, layout) values ($1, $2)
  on conflict (bucket_id, layout) do update set registered_at = now() returning xmax = 0 as "isNew"`

/** Locations that this process knows to exist, so that uploads need no check. */
const readyIn = oncePer((_pool: DatabasePool) => new Set<string>())

const readyLocations = (): Set<string> => readyIn(storagePool())

/**
 * Creates the location of a bucket in the active layout unless this process knows that it exists; returns the
 * layout. The location is registered first, so that a crash leaves nothing unknown.
 */
export async function prepareLocation(bucketId: string, region?: string | null): Promise<Layout> {
  const layout = activeLayout()
  if (!readyLocations().has(readyKey(bucketId, layout))) {
    await createLocation(bucketId, layout, region)
  }
  return layout
}

/** Like `prepareLocation`, but creates a container that was lost. */
export async function restoreLocation(bucketId: string, region?: string | null): Promise<void> {
  await createLocation(bucketId, activeLayout(), region)
}

/** The layouts that may contain objects of a bucket. */
export async function layoutsOf(bucketId: string): Promise<Layout[]> {
  const { rows } = await storagePool().query<{ layout: Layout }>(
    'select layout from bucket_locations where bucket_id = $1 order by layout',
    [bucketId]
  )
  return rows.map(({ layout }) => layout)
}

/** Removes the objects of a deleted bucket, its containers, and its registrations. */
export async function removeLocations(bucketId: string): Promise<void> {
  for (const layout of await layoutsOf(bucketId)) {
    await removeLocation(bucketId, layout)
  }
}

/**
 * Like `removeLocations`, but keeps the registrations, because uploads may still arrive; the sweep checks them
 * again.
 */
export async function emptyLocations(bucketId: string): Promise<void> {
  for (const layout of await layoutsOf(bucketId)) {
    readyLocations().delete(readyKey(bucketId, layout))
    await emptyLayout(bucketId, layout)
  }
}

/** Like `removeLocations`, for one layout. Returns how many objects were removed. */
export async function removeLocation(bucketId: string, layout: Layout): Promise<number> {
  readyLocations().delete(readyKey(bucketId, layout))
  const count = await emptyLayout(bucketId, layout)
  await storagePool().query('delete from bucket_locations where bucket_id = $1 and layout = $2', [
    bucketId,
    layout,
  ])
  return count
}

/** Registers a location in the active layout; false if it was registered before. */
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

/** Objects that arrive meanwhile are removed in a second pass. */
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
  const ready = readyLocations()
  if (ready.size >= MAX_READY) {
    ready.delete(ready.values().next().value!)
  }
  ready.add(name)
}

const readyKey = (bucketId: string, layout: Layout) => `${layout} ${bucketId}`
