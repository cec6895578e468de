import { access } from 'node:fs/promises'
import { join } from 'node:path'

import type { Logger } from '@adonisjs/core/logger'

import type { Sweep } from '#jobs/sweep'
import { removeStaleDrafts } from '#oci/folder/drafts'
import { sweepFolder } from '#oci/folder/sweep_folder'
import type { Attempts } from '#worker/attempts'
import { noteDisk } from './images_disk.js'
import { takeBackUploads, type LeftUploadsNeeds } from './left_uploads.js'

const HOUR_MS = 3_600_000

interface Needs extends LeftUploadsNeeds {
  /** Of images. */
  readonly folder: string
  readonly attempts: Attempts
}

/** What a worker clears away: after others that were killed at once, and what no image needs in time. */
export const workerSweeps = (needs: Needs): readonly Sweep[] => [
  {
    name: 'left-uploads',
    schedule: { everyMs: 5_000 },
    run: (signal) => takeBackUploads(needs, signal),
  },
  {
    name: 'left-drafts',
    schedule: { everyMs: 5_000 },
    async run() {
      const removed = await removeStaleDrafts(needs.folder)
      return removed.length
    },
  },
  {
    name: 'left-attempts',
    schedule: { everyMs: HOUR_MS },
    run: () => needs.attempts.forgetOld(),
  },
  {
    name: 'images',
    schedule: { everyMs: HOUR_MS },
    run: (signal) => sweepImages(needs.folder, needs.logger, signal),
  },
]

/** A worker that has registries only has no folder. */
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
  const freeBytes = await noteDisk(folder, keptBytes)
  logger.info(
    { removed, removedBytes, usedBytes: keptBytes, freeBytes },
    'the folder of images was swept'
  )
  return removed
}
