import { inject } from '@adonisjs/core'
import { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { deleteBuckets } from '#core/analysis_buckets/bucket_requests'
import { runTask, type TaskWorker } from '#jobs/tasks/task_worker'
import { topicOf } from '#jobs/tasks/task_runner'
import { clock } from '#kernel/clock'
import { EntityConflict, ServiceUnavailable } from '#kernel/failures'
import { afterCommit } from '#records/transaction'
import { Signals } from '#signals/signals'
import { BucketLocks } from './bucket_locks.js'
import { LOCK_RELEASES, lockReleaseWorker, type LockRelease } from './lock_releases.js'

/** How long locking may take before its lock counts as orphaned. */
const GRACE_MS = 60_000

const BUCKETS = `select bucket_id as id from analysis_buckets
  where analysis_id = $1 and type = 'CODE' order by bucket_id`

const INSERT = 'insert into analysis_code_locks (id, analysis_id) values ($1, $2)'

/** A lock at storage. It persists if the transaction that locks the configuration confirms it. */
export interface NewLock {
  confirm(transaction: pg.ClientBase, analysisId: string): Promise<void>
}

/**
 * Locks the code of analyses at storage together with their configuration. A task to release the lock is enqueued
 * before the request, and withdrawn in the transaction that locks the configuration, so that unconfirmed locks are
 * released.
 */
@inject()
export class CodeLocks {
  readonly #storage: BucketLocks
  readonly #signals: Signals
  readonly #logger: Logger
  readonly #releases: TaskWorker<LockRelease>

  constructor(pool: CorePool, storage: BucketLocks, signals: Signals, logger: Logger) {
    this.#storage = storage
    this.#signals = signals
    this.#logger = logger
    this.#releases = lockReleaseWorker({ pool, locks: storage, logger })
  }

  /** Locks buckets at storage and runs `work`, which confirms the lock. An unconfirmed lock is released. */
  async withLock<T>(bucketIds: readonly string[], work: (lock: NewLock) => Promise<T>): Promise<T> {
    const id = clock.uuid()
    const dueAt = clock.now() + GRACE_MS
    await this.#releases.tasks.enqueue({ key: id, data: { thenDelete: [] }, dueAt })
    try {
      await this.#storage.lock([{ id, bucketIds }])
      return await work({
        confirm: (transaction, analysisId) =>
          this.#confirm(transaction, analysisId, { id, bucketIds }),
      })
    } finally {
      await this.#releaseUnconfirmed(id)
    }
  }

  /** Adds a missing lock to a locked analysis. The comparison requests it from storage. */
  async add(transaction: pg.ClientBase, analysisId: string): Promise<void> {
    await transaction.query(`${INSERT} on conflict do nothing`, [clock.uuid(), analysisId])
  }

  /** Schedules the release of the lock of an analysis. Returns its id, for `releaseNow`. */
  async release(transaction: pg.ClientBase, analysisId: string): Promise<string | undefined> {
    return this.#scheduleRelease(transaction, analysisId, [])
  }

  /** Deletes the buckets of an analysis that is being deleted, once they are unlocked. */
  async releaseAndDelete(
    transaction: pg.ClientBase,
    analysisId: string,
    bucketIds: readonly string[]
  ): Promise<void> {
    if (await this.#scheduleRelease(transaction, analysisId, bucketIds)) {
      afterCommit(transaction, () => this.#signals.notify(topicOf(LOCK_RELEASES)))
    } else {
      await deleteBuckets(transaction, bucketIds)
    }
  }

  /** Tries to release a lock at once. The worker retries if that fails. */
  async releaseNow(id: string): Promise<void> {
    await runTask(this.#releases, id)
  }

  async #scheduleRelease(
    transaction: pg.ClientBase,
    analysisId: string,
    thenDelete: readonly string[]
  ): Promise<string | undefined> {
    const { rows } = await transaction.query<{ id: string }>(
      'delete from analysis_code_locks where analysis_id = $1 returning id',
      [analysisId]
    )
    const id = rows[0]?.id
    if (id !== undefined) {
      await this.#releases.tasks.enqueue({ key: id, data: { thenDelete } }, transaction)
    }
    return id
  }

  async #confirm(
    transaction: pg.ClientBase,
    analysisId: string,
    { id, bucketIds }: { id: string; bucketIds: readonly string[] }
  ): Promise<void> {
    if (!(await this.#releases.tasks.cancel(id, transaction))) {
      throw new ServiceUnavailable('Storage took too long to lock the code: try again')
    }
    const buckets = await codeBuckets(transaction, analysisId)
    if (buckets.some((bucketId) => !bucketIds.includes(bucketId))) {
      throw new EntityConflict('A code bucket was added to the analysis meanwhile: lock it again')
    }
    await transaction.query(`${INSERT} on conflict (analysis_id) do update set id = excluded.id`, [
      id,
      analysisId,
    ])
  }

  /** Releases it again later, because a timed-out lock request may reach storage after the first release. */
  async #releaseUnconfirmed(id: string): Promise<void> {
    const { tasks } = this.#releases
    try {
      const task = await tasks.claimEarly(id)
      if (task) {
        await this.#storage.release(id).finally(() => tasks.release(task, GRACE_MS))
      }
    } catch (error) {
      this.#logger.warn(
        { err: error, lock: id },
        'a lock at this.#storage could not be released; it is retried later'
      )
    }
  }
}

/** The code buckets of an analysis, which the caller has locked. */
export async function codeBuckets(
  transaction: pg.ClientBase,
  analysisId: string
): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(BUCKETS, [analysisId])
  return rows.map(({ id }) => id)
}
