import type { Logger } from '@adonisjs/core/logger'

import { clock } from '#kernel/clock'
import type { ObjectStore } from '#storage/objects/object_store'
import { vacatePlace } from '#storage/objects/places'
import { filesIn, filesMissingIn, filesWithoutObject } from './missing_objects.js'
import { sweepOrphans } from './orphans.js'
import { placesOlderThan, type Place } from './places.js'

export interface ThoroughSweep {
  readonly store: ObjectStore
  /** What is younger than this may belong to something that is still under way. */
  readonly graceMs: number
  readonly signal: AbortSignal
  readonly logger: Pick<Logger, 'error'>
}

/** Files are told of once, not at every sweep. */
const told = new Set<string>()

/** Removes the places of buckets that are no more. What cannot be removed does not keep the others. */
export async function sweepAbandonedPlaces(graceMs: number, signal: AbortSignal): Promise<number> {
  let removed = 0
  let failure: unknown
  for await (const { bucketId, layout, isUsed } of placesOlderThan(graceMs)) {
    if (signal.aborted) {
      break
    }
    if (isUsed) {
      continue
    }
    try {
      removed += 1 + (await vacatePlace(bucketId, layout))
    } catch (error) {
      failure = error
    }
  }
  if (failure !== undefined) {
    throw failure
  }
  return removed
}

/** Looks through all places for objects without a file, and for files without an object. */
export async function sweepObjects(sweep: ThoroughSweep): Promise<number> {
  let removed = 0
  let missing = 0
  for await (const place of placesOlderThan(0)) {
    if (sweep.signal.aborted) {
      return removed
    }
    if (!place.isUsed) {
      continue
    }
    const startedAt = new Date(clock.now())
    const swept = await sweepOrphans(sweep.store, place, sweep.graceMs)
    removed += swept.removed
    const files = await filesIn(place, startedAt)
    if (swept.known < files) {
      missing += await tellOfMissing(sweep, place, startedAt)
    }
  }
  filesWithoutObject.set(missing)
  return removed
}

async function tellOfMissing(
  { store, logger }: ThoroughSweep,
  place: Place,
  before: Date
): Promise<number> {
  const missing = await filesMissingIn(store, place, before)
  const news = missing.filter((id) => !told.has(id))
  news.forEach((id) => told.add(id))
  if (news.length > 0) {
    logger.error(
      { bucketId: place.bucketId, layout: place.layout, files: news },
      'files of a bucket have no object; nothing was removed: look whether the object store is the right one'
    )
  }
  return missing.length
}
