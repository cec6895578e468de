import app from '@adonisjs/core/services/app'
import type pg from 'pg'

import { EntityConflict } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { inTransaction, concurrently } from '#records/transaction'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { BucketService } from '#storage/buckets/bucket_service'
import { filePath } from '#storage/bucket_files/paths'
import { storagePool } from '#storage/database'
import { requireUnlocked } from '#storage/locks/bucket_locks'
import type { Claim } from './claims.js'

/** A file all of which is in the object store. */
export interface Arrived {
  readonly claim: Claim
  readonly size: number
  readonly sha256: string
}

/** Who has sent a file, as its record names them. */
export interface Sender {
  readonly actorType: string
  readonly actorId: string
  readonly realmId: string | null
}

/** So many files of a request are written without waiting for each other. */
const MADE_AT_ONCE = 64

/** The sender was silent for so long that others could take the path over. */
class ClaimLost extends EntityConflict {
  constructor() {
    super(
      'The upload was interrupted for so long that its paths were given to others; send it again'
    )
  }
}

/**
 * Makes files of what has arrived: all of them with their events, or none. Answers their records as JSON, in the order
 * given. The objects of files that were not made are still there. Throws `AnalysisLocked` where the bucket was locked meanwhile.
 */
export async function keepFiles(
  origin: Origin,
  bucketId: string,
  arrived: readonly Arrived[],
  sender = senderOf(origin)
): Promise<string[]> {
  if (arrived.length === 0) {
    return []
  }
  try {
    const bucketFiles = await app.container.make(BucketFileService)
    return await inTransaction(storagePool(), async (transaction) => {
      await requireUnlocked(transaction, bucketId)
      await takeClaims(transaction, arrived)
      return makeFiles(arrived, (file) =>
        bucketFiles.keep(transaction, origin, { ...valuesOf(file), ...sender })
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

/** Throws where a path of what has arrived is claimed by others meanwhile. */
async function takeClaims(transaction: pg.ClientBase, arrived: readonly Arrived[]): Promise<void> {
  const { rowCount } = await transaction.query(
    'delete from bucket_file_claims where id = any($1::uuid[])',
    [arrived.map(({ claim }) => claim.id)]
  )
  if (rowCount !== arrived.length) {
    throw new ClaimLost()
  }
}

async function makeFiles(
  arrived: readonly Arrived[],
  make: (file: Arrived) => Promise<string>
): Promise<string[]> {
  const records: string[] = []
  for (let start = 0; start < arrived.length; start += MADE_AT_ONCE) {
    const some = arrived.slice(start, start + MADE_AT_ONCE)
    records.push(...(await concurrently(...some.map(make))))
  }
  return records
}

function valuesOf({ claim, size, sha256 }: Arrived) {
  const { id, bucketId, path, hash, layout } = claim
  return { id, bucketId, ...filePath(path), hash, layout, size, sha256 }
}

function senderOf({ actor }: Origin): Sender {
  return { actorType: actor.kind, actorId: actor.id, realmId: actor.realmId }
}
