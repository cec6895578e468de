import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { serviceOrigin } from '#auth/service_origin'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { CodeLocks } from '#core/code_locks/code_locks'
import { corePool } from '#core/database'
import { isAdopting } from '#database/open_adoption'
import type { LongSweep } from '#jobs/sweep'
import { compareLocks } from './compared_locks.js'
import { compareFiles } from './compared_files.js'
import { nothingMended, type Compared, type Mended, type Portions } from './comparison.js'
import { removeGoneBuckets } from './gone_buckets.js'
import type { Inventory } from './inventory.js'
import { askForMissingBuckets } from './missing_buckets.js'
import { placeStrayBuckets } from './stray_buckets.js'

const EVERY_MS = 60 * 60_000
const TURN_MS = 5_000

interface Comparing {
  readonly inventory: Inventory
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** After how long it ends its turn although there is more to compare. */
  readonly turnMs?: number
}

/**
 * Compares the buckets and files of analyses with what storage has, and mends what was not told, was told in vain, or never came to
 * be. Goes on in its next turn where it ended the last one.
 */
export function analysisStorageSweep(comparing: Comparing): LongSweep {
  const { logger, turnMs = TURN_MS } = comparing
  let mended = nothingMended()
  let portions: Portions | undefined
  return {
    name: 'analysis-storage',
    schedule: { everyMs: EVERY_MS },
    async runTurn(signal) {
      if (await isAdopting(corePool())) {
        return { removed: 0, isDone: true }
      }
      const begun = performance.now()
      const removedBefore = mended.removed
      const removed = () => mended.removed - removedBefore
      portions ??= allPortions(comparing, mended)
      try {
        while (!signal.aborted && performance.now() - begun < turnMs) {
          const { done: isDone } = await portions.next()
          if (isDone) {
            const done = removed()
            tell(logger, mended, 'analyses were compared with storage')
            mended = nothingMended()
            portions = undefined
            return { removed: done, isDone: true }
          }
        }
      } catch (error) {
        portions = undefined
        throw error
      }
      tell(logger, mended, 'analyses are being compared with storage')
      return { removed: removed(), isDone: false }
    },
  }
}

async function* allPortions({ inventory, logger }: Comparing, mended: Mended): Portions {
  const { container } = app
  const compared: Compared = {
    pool: corePool(),
    origin: await serviceOrigin(),
    inventory,
    buckets: await container.make(AnalysisBucketService),
    files: await container.make(AnalysisBucketFileService),
    upkeep: await container.make(AnalysisUpkeep),
    codeLocks: await container.make(CodeLocks),
    locks: await container.make('bucketLocks'),
    logger,
    mended,
  }
  yield* compareLocks(compared)
  yield* removeGoneBuckets(compared)
  yield* placeStrayBuckets(compared)
  yield* askForMissingBuckets(compared)
  yield* compareFiles(compared)
}

function tell(logger: Comparing['logger'], mended: Mended, message: string): void {
  if (Object.values(mended).some((count) => count > 0)) {
    logger.info({ ...mended }, message)
  }
}
