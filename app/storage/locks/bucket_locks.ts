import type pg from 'pg'

import { EntityConflict } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { concurrently } from '#records/transaction'
import { storagePool } from '#storage/database'

/** A lock on buckets. The locking service chooses its id. */
export interface BucketLock {
  readonly id: string
  readonly bucketIds: readonly string[]
}

const PAGE_SIZE = 500

const INSERT = `
  insert into bucket_locks (lock_id, bucket_id)
  select lock_id, bucket_id from unnest($1::uuid[], $2::uuid[]) as l (lock_id, bucket_id)
  on conflict do nothing`

/** Waits for transactions that checked for a lock before it was inserted. */
const DRAIN = 'select 1 from buckets where id = any($1::uuid[]) order by id for update'

const SHARE = { name: 'share-bucket', text: 'select 1 from buckets where id = $1 for share' }

const LOCKED = {
  name: 'is-bucket-locked',
  text: 'select 1 from bucket_locks where bucket_id = $1 limit 1',
}

const LIST = `select lock_id as id, min(created_at) as "createdAt" from bucket_locks
  where lock_id > $1 group by lock_id order by lock_id limit ${PAGE_SIZE}`

/** The bucket contains the code of a locked analysis. */
export class AnalysisLocked extends EntityConflict {
  constructor() {
    const message =
      'The bucket contains the code of a locked analysis: unlock it with the command configurationUnlock first'
    super(message, { issues: [issue('analysis_locked', [], message)] })
  }
}

/**
 * Locks on buckets, for other surfaces of this process. No file is added to a locked bucket, nor removed before core
 * has removed its record. A lock on a missing bucket takes effect when the bucket is created.
 */
export const bucketLocks = {
  pageSize: PAGE_SIZE,

  /** After this resolves, every transaction that adds or removes files has ended or sees the locks. Idempotent. */
  async lock(locks: readonly BucketLock[]): Promise<void> {
    const pairs = locks.flatMap(({ id, bucketIds }) => bucketIds.map((bucketId) => [id, bucketId]))
    const buckets = pairs.map(([, bucketId]) => bucketId)
    await storagePool().query(INSERT, [pairs.map(([id]) => id), buckets])
    await storagePool().query(DRAIN, [buckets])
  },

  async release(id: string): Promise<void> {
    await storagePool().query('delete from bucket_locks where lock_id = $1', [id])
  },

  async list(after: string): Promise<readonly { id: string; createdAt: Date }[]> {
    const { rows } = await storagePool().query<{ id: string; createdAt: Date }>(LIST, [after])
    return rows
  },
}

/**
 * Throws if a bucket is locked. Call it in the transaction that adds or removes a file; a concurrent lock waits for
 * its end.
 */
export async function requireUnlocked(transaction: pg.ClientBase, bucketId: string): Promise<void> {
  await concurrently(
    transaction.query({ ...SHARE, values: [bucketId] }),
    requireNoLock(transaction, bucketId)
  )
}

/** The same check before an upload starts, so that no bytes are sent in vain. */
export async function requireNoLock(
  database: pg.ClientBase | pg.Pool,
  bucketId: string
): Promise<void> {
  if (await isLocked(database, bucketId)) {
    throw new AnalysisLocked()
  }
}

/** Whether a bucket is locked. The result is stable while the caller has locked the bucket's row. */
export async function isLocked(
  database: pg.ClientBase | pg.Pool,
  bucketId: string
): Promise<boolean> {
  const { rowCount } = await database.query({ ...LOCKED, values: [bucketId] })
  return rowCount !== 0
}
