import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import type { TaskWorker } from '#jobs/tasks/task_worker'
import type { TaskQueue } from '#jobs/tasks/task_queue'
import { Tasks } from '#jobs/tasks/tasks'
import { clock } from '#kernel/clock'
import type { Removable, StorageRemovals } from './storage_removals.js'

/**
 * Clients of the former platform delete the record and then the file at storage, and take a file that is already
 * missing for a failure.
 */
const GRACE_MS = 10_000

const CODE_REMOVALS: TaskQueue = {
  name: 'code-removal',
  backOff: { firstMs: 1_000, longestMs: 60_000 },
}

const IS_FILE_IN_USE = 'select 1 from analysis_bucket_files where bucket_file_id = $1 limit 1'
const IS_BUCKET_IN_USE = 'select 1 from analysis_buckets where bucket_id = $1 limit 1'

const codeRemovals = (pool: pg.Pool): Tasks<Removable> => new Tasks(pool, CODE_REMOVALS)

/** Schedules the deletion at storage of what an analysis no longer has, once the transaction commits. */
export async function scheduleRemoval(
  transaction: pg.ClientBase,
  pool: pg.Pool,
  removable: Removable
): Promise<void> {
  const task = { key: keyOf(removable), data: removable, dueAt: clock.now() + GRACE_MS }
  await codeRemovals(pool).enqueue(task, transaction)
}

/** Whether storage is about to delete it. */
export async function isRemovalScheduled(
  transaction: pg.ClientBase,
  removable: Removable
): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'select 1 from tasks where queue = $1 and key = $2',
    [CODE_REMOVALS.name, keyOf(removable)]
  )
  return rowCount !== 0
}

interface CodeRemovalWorkerOptions {
  readonly pool: pg.Pool
  readonly storage: StorageRemovals
  readonly logger: Pick<Logger, 'warn'>
}

/** Deletes at storage what was removed from analyses, unless an analysis has it again. */
export function codeRemovalWorker({
  pool,
  storage,
  logger,
}: CodeRemovalWorkerOptions): TaskWorker<Removable> {
  return {
    tasks: codeRemovals(pool),
    concurrency: 4,
    async perform({ data }) {
      if (!(await isInUse(pool, data))) {
        await storage.remove(data)
      }
    },
    onFailure(error, { key, attempts }) {
      logger.warn(
        { err: error, removal: key, attempts },
        'what was removed from an analysis could not be deleted at storage; it is retried later'
      )
    },
  }
}

async function isInUse(pool: pg.Pool, removable: Removable): Promise<boolean> {
  const { rowCount } =
    'file' in removable
      ? await pool.query(IS_FILE_IN_USE, [removable.file])
      : await pool.query(IS_BUCKET_IN_USE, [removable.bucket])
  return rowCount !== 0
}

const keyOf = (removable: Removable): string =>
  'file' in removable ? `file/${removable.file}` : `bucket/${removable.bucket}`
