import type pg from 'pg'

import { EntityConflict } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import { inTransaction, sideBySide } from '#records/transaction'
import { bucketFiles } from '#storage/bucket_files/services'
import { buckets } from '#storage/buckets/services'
import { filePath } from '#storage/bucket_files/paths'
import { storagePool } from '#storage/database'
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
 * given. The objects of files that were not made are still there.
 */
export async function keepFiles(
  origin: Origin,
  bucketId: string,
  arrived: readonly Arrived[],
  sender = senderOf(origin)
): Promise<string[]> {
  if (arrived.length === 0) return []
  try {
    return await inTransaction(storagePool(), (transaction) =>
      makeFiles(transaction, origin, arrived, sender)
    )
  } catch (error) {
    if (error instanceof ClaimLost) await buckets().find(bucketId)
    throw error
  }
}

async function makeFiles(
  transaction: pg.ClientBase,
  origin: Origin,
  arrived: readonly Arrived[],
  sender: Sender
): Promise<string[]> {
  const { rowCount } = await transaction.query(
    'delete from bucket_file_claims where id = any($1::uuid[])',
    [arrived.map(({ claim }) => claim.id)]
  )
  if (rowCount !== arrived.length) throw new ClaimLost()
  const records: string[] = []
  for (let start = 0; start < arrived.length; start += MADE_AT_ONCE) {
    const some = arrived.slice(start, start + MADE_AT_ONCE)
    const making = some.map((file) => makeFile(transaction, origin, file, sender))
    records.push(...(await sideBySide(...making)))
  }
  return records
}

async function makeFile(
  transaction: pg.ClientBase,
  origin: Origin,
  { claim, size, sha256 }: Arrived,
  sender: Sender
): Promise<string> {
  const { id, bucketId, path, hash, layout } = claim
  const values = { id, bucketId, ...filePath(path), hash, layout, size, sha256, ...sender }
  const { data } = await bucketFiles().createWithin(transaction, origin, values)
  return data
}

function senderOf({ actor }: Origin): Sender {
  return { actorType: actor.kind, actorId: actor.id, realmId: actor.realmId }
}
