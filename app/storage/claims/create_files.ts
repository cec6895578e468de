import app from '@adonisjs/core/services/app'
import type pg from 'pg'

import { EntityConflict } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { inTransaction, concurrently } from '#records/transaction'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { BucketService } from '#storage/buckets/bucket_service'
import { filePath } from '#storage/bucket_files/file_path'
import { storagePool } from '#storage/database'
import { requireUnlocked } from '#storage/locks/bucket_locks'
import type { Claim } from './claims.js'

/** A file whose content is in the object store. */
export interface UploadedFile {
  readonly claim: Claim
  readonly size: number
  readonly sha256: string
}

/** The uploader of a file, as its record names it. */
export interface FileSender {
  readonly actorType: string
  readonly actorId: string
  readonly realmId: string | null
}

/** How many records are inserted concurrently. */
const CONCURRENT_INSERTS = 64

/** The claim expired and another upload took the path. */
class ClaimLost extends EntityConflict {
  constructor() {
    super(
      'The upload was interrupted for too long, and another upload took its path; send it again'
    )
  }
}

/**
 * Creates the records of uploaded files with their events, atomically. Returns the records as JSON, in order. On
 * failure the objects remain. Throws `AnalysisLocked` if the bucket was locked meanwhile.
 */
export async function createFiles(
  origin: Origin,
  bucketId: string,
  uploaded: readonly UploadedFile[],
  sender = senderOf(origin)
): Promise<string[]> {
  if (uploaded.length === 0) {
    return []
  }
  try {
    const bucketFiles = await app.container.make(BucketFileService)
    return await inTransaction(storagePool(), async (transaction) => {
      await requireUnlocked(transaction, bucketId)
      await consumeClaims(transaction, uploaded)
      return insertInBatches(uploaded, (file) =>
        bucketFiles.createFromUpload(transaction, origin, { ...valuesOf(file), ...sender })
      )
    })
  } catch (error) {
    if (error instanceof ClaimLost) {
      const buckets = await app.container.make(BucketService)
      await buckets.find(bucketId)
    }
    throw error
  }
}

/** Deletes the claims. Throws if another upload has deleted one of them. */
async function consumeClaims(
  transaction: pg.ClientBase,
  uploaded: readonly UploadedFile[]
): Promise<void> {
  const { rowCount } = await transaction.query(
    'delete from bucket_file_claims where id = any($1::uuid[])',
    [uploaded.map(({ claim }) => claim.id)]
  )
  if (rowCount !== uploaded.length) {
    throw new ClaimLost()
  }
}

async function insertInBatches(
  uploaded: readonly UploadedFile[],
  insert: (file: UploadedFile) => Promise<string>
): Promise<string[]> {
  const records: string[] = []
  for (let start = 0; start < uploaded.length; start += CONCURRENT_INSERTS) {
    const batch = uploaded.slice(start, start + CONCURRENT_INSERTS)
    records.push(...(await concurrently(...batch.map(insert))))
  }
  return records
}

function valuesOf({ claim, size, sha256 }: UploadedFile) {
  const { id, bucketId, path, hash, layout } = claim
  return { id, bucketId, ...filePath(path), hash, layout, size, sha256 }
}

function senderOf({ actor }: Origin): FileSender {
  return { actorType: actor.kind, actorId: actor.id, realmId: actor.realmId }
}
