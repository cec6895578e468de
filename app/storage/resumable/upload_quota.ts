import type pg from 'pg'

import { Failure, PayloadTooLarge } from '#kernel/failures'
import { inTransaction } from '#records/transaction'
import { storagePool } from '#storage/database'
import { storageSettings } from '#storage/storage_settings'

/** An upload that is about to start or to grow. */
export interface UploadFacts {
  readonly actorType: string
  readonly actorId: string
  readonly bucketId: string
  /** An upload of the same actor at the same path is replaced, so it does not count. */
  readonly path: string
}

interface Usage {
  readonly actorUploads: number
  readonly actorBytes: number
  readonly bucketUploads: number
  readonly bucketBytes: number
}

/** The unfinished uploads of the actor or the bucket, without the one at the path. */
const USAGE = {
  name: 'usage-of-uploads',
  text: `
    select count(*) filter (where u.is_own)::int as "actorUploads",
      coalesce(sum(u.bytes) filter (where u.is_own), 0)::float8 as "actorBytes",
      count(*) filter (where u.bucket_id = $3)::int as "bucketUploads",
      coalesce(sum(u.bytes) filter (where u.bucket_id = $3), 0)::float8 as "bucketBytes"
    from (
      select bucket_id, path, greatest(length, stored) as bytes, u.id,
        actor_id = $2::uuid and actor_type = $1 as is_own
      from resumable_uploads u
      where expires_at > now() and (actor_id = $2::uuid and actor_type = $1 or bucket_id = $3::uuid)
    ) u join bucket_file_claims c on c.id = u.id
    where not (u.is_own and u.bucket_id = $3 and u.path = $4)`,
}

const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'

/** The actor, or everybody together, has too many unfinished uploads. */
class TooManyUploads extends Failure {
  constructor(message: string) {
    super(429, 'rate_limited', message, { headers: { 'retry-after': '60' } })
  }
}

/** Throws if an upload of these bytes would exceed the quota. Two concurrent checks may both pass. */
export async function requireQuota(upload: UploadFacts, bytes: number): Promise<void> {
  const usage = await readUsage(storagePool(), upload)
  requireCount(usage)
  requireBytes(usage, bytes)
}

/**
 * Runs `work`, which records an upload of these bytes, unless it would exceed the quota. Other checks of the actor or
 * the bucket wait for it.
 */
export async function withQuota<T>(
  upload: UploadFacts,
  bytes: number,
  work: (transaction: pg.ClientBase) => Promise<T>
): Promise<T> {
  return inTransaction(storagePool(), async (transaction) => {
    await transaction.query(LOCK, [`uploads of ${upload.actorType} ${upload.actorId}`])
    await transaction.query(LOCK, [`uploads to ${upload.bucketId}`])
    const usage = await readUsage(transaction, upload)
    requireCount(usage)
    requireBytes(usage, bytes)
    return work(transaction)
  })
}

/** How many bytes an upload without a length may have at most now. */
export async function quotaLeft(upload: UploadFacts): Promise<number> {
  const { actorBytes, bucketBytes } = await readUsage(storagePool(), upload)
  const { bytesPerActor, bytesPerBucket } = storageSettings().resumable
  return Math.max(0, Math.min(left(bytesPerActor, actorBytes), left(bytesPerBucket, bucketBytes)))
}

async function readUsage(
  database: pg.ClientBase | pg.Pool,
  { actorType, actorId, bucketId, path }: UploadFacts
): Promise<Usage> {
  const values = [actorType, actorId, bucketId, path]
  const { rows } = await database.query<Usage>({ ...USAGE, values })
  return rows[0]!
}

function requireCount({ actorUploads, bucketUploads }: Usage): void {
  const { uploadsPerActor, uploadsPerBucket } = storageSettings().resumable
  if (left(uploadsPerActor, actorUploads) < 1) {
    throw new TooManyUploads(
      `You have ${actorUploads} unfinished uploads: finish or cancel some of them first`
    )
  }
  if (left(uploadsPerBucket, bucketUploads) < 1) {
    throw new TooManyUploads(
      `The bucket has ${bucketUploads} unfinished uploads: some must be finished or cancelled first`
    )
  }
}

function requireBytes({ actorBytes, bucketBytes }: Usage, bytes: number): void {
  const { bytesPerActor, bytesPerBucket } = storageSettings().resumable
  if (left(bytesPerActor, actorBytes) < bytes) {
    throw new PayloadTooLarge(
      `Your unfinished uploads may have ${bytesPerActor} bytes together, and ${actorBytes} are announced already: finish or cancel some of them first`
    )
  }
  if (left(bytesPerBucket, bucketBytes) < bytes) {
    throw new PayloadTooLarge(
      `The unfinished uploads of the bucket may have ${bytesPerBucket} bytes together, and ${bucketBytes} are announced already: some must be finished or cancelled first`
    )
  }
}

const left = (limit: number, used: number) => (limit === 0 ? Number.MAX_SAFE_INTEGER : limit - used)
