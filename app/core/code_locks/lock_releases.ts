import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { deleteBuckets } from '#core/analysis_buckets/bucket_requests'
import type { TaskWorker } from '#jobs/tasks/task_worker'
import type { TaskQueue } from '#jobs/tasks/task_queue'
import { Tasks } from '#jobs/tasks/tasks'
import { inTransaction } from '#records/transaction'
import type { BucketLocks } from './bucket_locks.js'

/** The release of a lock at storage. Its key is the id of the lock. */
export interface LockRelease {
  /** Buckets that are deleted once they are unlocked. */
  readonly thenDelete: readonly string[]
}

export const LOCK_RELEASES: TaskQueue = {
  name: 'code-lock-release',
  backOff: { firstMs: 1_000, longestMs: 60_000 },
}

export const lockReleases = (pool: pg.Pool): Tasks<LockRelease> => new Tasks(pool, LOCK_RELEASES)

interface LockReleaseWorkerOptions {
  readonly pool: pg.Pool
  readonly locks: Pick<BucketLocks, 'release'>
  readonly logger: Pick<Logger, 'warn'>
}

/** Releases locks at storage. */
export function lockReleaseWorker({
  pool,
  locks,
  logger,
}: LockReleaseWorkerOptions): TaskWorker<LockRelease> {
  const tasks = lockReleases(pool)
  return {
    tasks,
    concurrency: 4,
    async perform(task) {
      await locks.release(task.key)
      return inTransaction(pool, async (transaction) => {
        await deleteBuckets(transaction, task.data.thenDelete)
        return tasks.finish(task, transaction)
      })
    },
    onFailure(error, { key, attempts }) {
      logger.warn(
        { err: error, lock: key, attempts },
        'the code of an analysis could not be unlocked at storage; it is retried later'
      )
    },
  }
}
