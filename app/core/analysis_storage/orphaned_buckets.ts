import {
  deleteBuckets,
  parseBucketName,
  type BucketRequest,
} from '#core/analysis_buckets/bucket_requests'
import { inTransaction } from '#records/transaction'
import {
  isOlder,
  SETTLED_AFTER_MS,
  type ComparisonContext,
  type ComparisonSteps,
} from './comparison.js'
import { FIRST_ID, type InventoryBucket } from './inventory.js'
import { pagesById } from './pages.js'

interface OrphanedBucket extends BucketRequest {
  readonly bucketId: string
}

/**
 * Adds buckets that storage created for analyses and core has no record of. An unused bucket is deleted if it is empty;
 * one with files is only logged.
 */
export async function* resolveOrphanedBuckets(context: ComparisonContext): ComparisonSteps {
  const { inventory, origin } = context
  const pages = pagesById(inventory.pageSize, (id) => inventory.listBuckets(origin.actor, id))
  for await (const page of pages) {
    for (const orphan of await findOrphans(context, page)) {
      await resolveOrphan(context, orphan)
      yield
    }
    yield
  }
}

async function findOrphans(
  { pool }: ComparisonContext,
  page: readonly InventoryBucket[]
): Promise<OrphanedBucket[]> {
  const named = page.flatMap(({ id, name, createdAt }) => {
    const request = parseBucketName(name)
    return request && isOlder(createdAt, SETTLED_AFTER_MS) ? [{ ...request, bucketId: id }] : []
  })
  const { rows } = await pool.query<{ id: string }>(
    'select bucket_id as id from analysis_buckets where bucket_id = any($1)',
    [named.map(({ bucketId }) => bucketId)]
  )
  const known = new Set(rows.map(({ id }) => id))
  return named.filter(({ bucketId }) => !known.has(bucketId))
}

async function resolveOrphan(context: ComparisonContext, orphan: OrphanedBucket): Promise<void> {
  const { pool, origin, buckets, inventory, repairs, logger } = context
  const [first] = await inventory.listFiles(orphan.bucketId, FIRST_ID)
  const outcome = await inTransaction(pool, async (transaction) => {
    if (await buckets.addIfMissing(transaction, origin, orphan)) {
      return 'entered'
    }
    if (first === undefined) {
      await deleteBuckets(transaction, [orphan.bucketId])
      return 'givenBack'
    }
    return 'unchanged'
  })
  if (outcome === 'unchanged') {
    logger.warn(orphan, 'a bucket of no analysis has files; delete it if they are not needed')
  } else {
    repairs[outcome]++
  }
}
