import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { BucketLocks } from '#core/code_locks/bucket_locks'
import { serviceOrigin } from '#auth/service_origin'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { CodeLocks } from '#core/code_locks/code_locks'
import { corePool } from '#core/database'
import { isAdopting } from '#database/is_adopting'
import type { LongSweep } from '#jobs/sweep'
import { compareLocks } from './compare_locks.js'
import { compareFiles } from './compare_files.js'
import {
  emptyCounts,
  type ComparisonContext,
  type RepairCounts,
  type ComparisonSteps,
} from './comparison.js'
import { removeDanglingBuckets } from './dangling_buckets.js'
import type { Inventory } from './inventory.js'
import { requestMissingBuckets } from './missing_buckets.js'
import { resolveOrphanedBuckets } from './orphaned_buckets.js'

const EVERY_MS = 60 * 60_000
const TURN_MS = 5_000

interface StorageSweepOptions {
  readonly inventory: Inventory
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** The maximal duration of a turn. */
  readonly turnMs?: number
}

/**
 * Compares buckets and files of analyses with storage, and repairs what lost or failed events left behind. Each turn
 * continues where the last one ended.
 */
export function analysisStorageSweep(options: StorageSweepOptions): LongSweep {
  const { logger, turnMs = TURN_MS } = options
  let repairs = emptyCounts()
  let steps: ComparisonSteps | undefined
  return {
    name: 'analysis-storage',
    schedule: { everyMs: EVERY_MS },
    async runTurn(signal) {
      if (await isAdopting(corePool())) {
        return { removed: 0, isDone: true }
      }
      const startedAt = performance.now()
      const removedBefore = repairs.removed
      const removed = () => repairs.removed - removedBefore
      steps ??= compareAll(options, repairs)
      try {
        while (!signal.aborted && performance.now() - startedAt < turnMs) {
          const { done: isDone } = await steps.next()
          if (isDone) {
            const done = removed()
            logRepairs(logger, repairs, 'analyses were compared with storage')
            repairs = emptyCounts()
            steps = undefined
            return { removed: done, isDone: true }
          }
        }
      } catch (error) {
        steps = undefined
        throw error
      }
      logRepairs(logger, repairs, 'analyses are being compared with storage')
      return { removed: removed(), isDone: false }
    },
  }
}

async function* compareAll(
  { inventory, logger }: StorageSweepOptions,
  repairs: RepairCounts
): ComparisonSteps {
  const { container } = app
  const context: ComparisonContext = {
    pool: corePool(),
    origin: await serviceOrigin(),
    inventory,
    buckets: await container.make(AnalysisBucketService),
    files: await container.make(AnalysisBucketFileService),
    upkeep: await container.make(AnalysisUpkeep),
    codeLocks: await container.make(CodeLocks),
    locks: await container.make(BucketLocks),
    logger,
    repairs,
  }
  yield* compareLocks(context)
  yield* removeDanglingBuckets(context)
  yield* resolveOrphanedBuckets(context)
  yield* requestMissingBuckets(context)
  yield* compareFiles(context)
}

function logRepairs(
  logger: StorageSweepOptions['logger'],
  repairs: RepairCounts,
  message: string
): void {
  if (Object.values(repairs).some((count) => count > 0)) {
    logger.info({ ...repairs }, message)
  }
}
