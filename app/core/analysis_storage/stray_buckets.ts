import {
  giveBackBuckets,
  requestNamed,
  type BucketRequest,
} from '#core/analysis_buckets/requested_buckets'
import { inTransaction } from '#records/transaction'
import { isOlder, STILL_TO_COME_MS, type Compared, type Portions } from './comparison.js'
import { FIRST_ID, type KeptBucket } from './inventory.js'
import { pagesById } from './pages.js'

interface Stray extends BucketRequest {
  readonly bucketId: string
}

/**
 * Enters the buckets that storage made for analyses and core was not told of. One that nobody needs is given back where it is empty;
 * what is in another one is left to people.
 */
export async function* placeStrayBuckets(compared: Compared): Portions {
  const { inventory, origin } = compared
  const pages = pagesById(inventory.pageSize, (id) => inventory.bucketsOf(origin.actor, id))
  for await (const page of pages) {
    for (const stray of await straysAmong(compared, page)) {
      await place(compared, stray)
      yield
    }
    yield
  }
}

async function straysAmong({ pool }: Compared, page: readonly KeptBucket[]): Promise<Stray[]> {
  const named = page.flatMap(({ id, name, createdAt }) => {
    const request = requestNamed(name)
    return request && isOlder(createdAt, STILL_TO_COME_MS) ? [{ ...request, bucketId: id }] : []
  })
  const { rows } = await pool.query<{ id: string }>(
    'select bucket_id as id from analysis_buckets where bucket_id = any($1)',
    [named.map(({ bucketId }) => bucketId)]
  )
  const entered = new Set(rows.map(({ id }) => id))
  return named.filter(({ bucketId }) => !entered.has(bucketId))
}

async function place(compared: Compared, stray: Stray): Promise<void> {
  const { pool, origin, buckets, inventory, mended, logger } = compared
  const [first] = await inventory.filesIn(stray.bucketId, FIRST_ID)
  const outcome = await inTransaction(pool, async (transaction) => {
    if (await buckets.enterWanted(transaction, origin, stray)) {
      return 'entered'
    }
    if (first === undefined) {
      await giveBackBuckets(transaction, [stray.bucketId])
      return 'givenBack'
    }
    return 'kept'
  })
  if (outcome === 'kept') {
    logger.warn(stray, 'a bucket of no analysis has files; delete it where they are not needed')
  } else {
    mended[outcome]++
  }
}
