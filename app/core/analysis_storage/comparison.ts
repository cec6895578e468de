import type { Logger } from '@adonisjs/core/logger'

import type { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import type { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import type { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import type { BucketLocks } from '#core/code_locks/bucket_locks'
import type { CodeLocks } from '#core/code_locks/code_locks'
import type { DatabasePool } from '#database/database_pool'
import { clock } from '#kernel/clock'
import type { Origin } from '#kernel/origin'
import type { Inventory } from './inventory.js'

/** What a comparison of core with storage works with. */
export interface ComparisonContext {
  readonly pool: DatabasePool
  readonly origin: Origin
  readonly inventory: Inventory
  readonly buckets: AnalysisBucketService
  readonly files: AnalysisBucketFileService
  readonly upkeep: AnalysisUpkeep
  readonly codeLocks: CodeLocks
  readonly locks: BucketLocks
  readonly logger: Pick<Logger, 'warn'>
  readonly repairs: RepairCounts
}

/** What was found to differ, and is as it should be now. */
export interface RepairCounts {
  /** Rows of what storage has and core did not. */
  entered: number
  /** Rows of what storage does not have. */
  removed: number
  /** Buckets that storage was asked to make. */
  asked: number
  /** Buckets that nobody needs. */
  givenBack: number
  /** Analyses whose code is locked at storage as well. */
  locked: number
  /** Locks at storage that no analysis has. */
  released: number
}

/** Work in portions: whoever has it done may stop after any of them. */
export type ComparisonSteps = AsyncGenerator<void, void, void>

export const emptyCounts = (): RepairCounts => ({
  entered: 0,
  removed: 0,
  asked: 0,
  givenBack: 0,
  locked: 0,
  released: 0,
})

/** What storage tells of a moment later is on its way, and no difference. */
export const IN_TRANSIT_MS = 60_000

/** What is said to be there may be entered before it is. */
export const SETTLED_AFTER_MS = 10 * 60_000

export const isOlder = (time: Date, ms: number): boolean => time.getTime() < clock.now() - ms
