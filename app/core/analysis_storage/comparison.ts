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

/** What a comparison of core with storage depends on. */
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

/** Counts of repaired differences. Property names are log fields. */
export interface RepairCounts {
  /** Records added for what storage has. */
  entered: number
  /** Records removed because storage no longer has the object. */
  removed: number
  /** Buckets requested from storage. */
  asked: number
  /** Unused buckets whose deletion was requested. */
  givenBack: number
  /** Locked analyses whose code is locked at storage now, too. */
  locked: number
  /** Released locks that belonged to no analysis. */
  released: number
}

/** Work in steps; the caller may stop after each. */
export type ComparisonSteps = AsyncGenerator<void, void, void>

export const emptyCounts = (): RepairCounts => ({
  entered: 0,
  removed: 0,
  asked: 0,
  givenBack: 0,
  locked: 0,
  released: 0,
})

/** The event of a newer object may still be in transit, so it does not count as a difference. */
export const IN_TRANSIT_MS = 60_000

/** A record may be added before its object exists, so newer records do not count as dangling. */
export const SETTLED_AFTER_MS = 10 * 60_000

export const isOlder = (time: Date, ms: number): boolean => time.getTime() < clock.now() - ms
