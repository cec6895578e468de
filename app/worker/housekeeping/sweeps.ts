import { access } from 'node:fs/promises'
import { join } from 'node:path'

import type { Logger } from '@adonisjs/core/logger'

import type { Sweep } from '#jobs/sweep'
import { removeStaleDrafts } from '#oci/folder/drafts'
import { sweepFolder } from '#oci/folder/sweep_folder'
import type { Attempts } from '#worker/attempts'
import { recordDiskUsage } from './images_disk.js'
import { cancelAbandonedUploads, type UploadCleanupDependencies } from './abandoned_uploads.js'

const HOUR_MS = 3_600_000

interface WorkerSweepDependencies extends UploadCleanupDependencies {
  /** The folder of images. */
  readonly folder: string
  readonly attempts: Attempts
}

/** Cleanup tasks of a worker: leftovers of crashed processes promptly, unused data periodically. */
export const workerSweeps = (dependencies: WorkerSweepDependencies): readonly Sweep[] => [
  {
    name: 'abandoned-uploads',
    schedule: { everyMs: 5_000 },
    run: (signal) => cancelAbandonedUploads(dependencies, signal),
  },
  {
    name: 'stale-drafts',
    schedule: { everyMs: 5_000 },
    async run() {
      const removed = await removeStaleDrafts(dependencies.folder)
      return removed.length
    },
  },
  {
    name: 'old-attempts',
    schedule: { everyMs: HOUR_MS },
    run: () => dependencies.attempts.removeOld(),
  },
  {
    name: 'images',
    schedule: { everyMs: HOUR_MS },
    run: (signal) => sweepImages(dependencies.folder, dependencies.logger, signal),
  },
]

/** A worker that only uses registries has no folder. */
async function sweepImages(
  folder: string,
  logger: Pick<Logger, 'info'>,
  signal: AbortSignal
): Promise<number> {
  const isThere = await access(join(folder, 'index.json')).then(
    () => true,
    () => false
  )
  if (!isThere) {
    return 0
  }
  const { removed, removedBytes, keptBytes } = await sweepFolder(folder, { signal })
  const freeBytes = await recordDiskUsage(folder, keptBytes)
  logger.info(
    { removed, removedBytes, usedBytes: keptBytes, freeBytes },
    'the folder of images was swept'
  )
  return removed
}
