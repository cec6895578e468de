import type { Logger } from '@adonisjs/core/logger'

import { clock } from '#kernel/clock'
import { oncePer } from '#kernel/once_per'
import type { ObjectStore } from '#storage/objects/object_store'
import { removeLocation } from '#storage/objects/bucket_locations'
import { countFiles, findFilesWithoutObject, filesWithoutObject } from './missing_objects.js'
import { sweepOrphans } from './sweep_orphans.js'
import { locationsOlderThan, type LocationRow } from './location_rows.js'

export interface ObjectSweepOptions {
  readonly store: ObjectStore
  /** Younger objects may belong to a running upload. */
  readonly graceMs: number
  readonly signal: AbortSignal
  readonly logger: Pick<Logger, 'error'>
}

/** Files that were reported, so that each is reported once. */
const reportedOf = oncePer((_store: ObjectStore) => new Set<string>())

/** Removes the locations of deleted buckets. A failure does not stop the others. */
export async function sweepAbandonedLocations(
  graceMs: number,
  signal: AbortSignal
): Promise<number> {
  let removed = 0
  let failure: unknown
  for await (const { bucketId, layout, isUsed } of locationsOlderThan(graceMs)) {
    if (signal.aborted) {
      break
    }
    if (isUsed) {
      continue
    }
    try {
      removed += 1 + (await removeLocation(bucketId, layout))
    } catch (error) {
      failure = error
    }
  }
  if (failure !== undefined) {
    throw failure
  }
  return removed
}

/** Finds objects without files, which it removes, and files without objects, which it reports. */
export async function sweepObjects(options: ObjectSweepOptions): Promise<number> {
  let removed = 0
  let missing = 0
  for await (const location of locationsOlderThan(0)) {
    if (options.signal.aborted) {
      return removed
    }
    if (!location.isUsed) {
      continue
    }
    const startedAt = new Date(clock.now())
    const swept = await sweepOrphans(options.store, location, options.graceMs)
    removed += swept.removed
    const files = await countFiles(location, startedAt)
    if (swept.known < files) {
      missing += await reportMissing(options, location, startedAt)
    }
  }
  filesWithoutObject.set(missing)
  return removed
}

async function reportMissing(
  { store, logger }: ObjectSweepOptions,
  location: LocationRow,
  before: Date
): Promise<number> {
  const missing = await findFilesWithoutObject(store, location, before)
  const reported = reportedOf(store)
  const unreported = missing.filter((id) => !reported.has(id))
  unreported.forEach((id) => reported.add(id))
  if (unreported.length > 0) {
    logger.error(
      { bucketId: location.bucketId, layout: location.layout, files: unreported },
      'files of a bucket have no object; nothing was removed: check that the object store is the right one'
    )
  }
  return missing.length
}
