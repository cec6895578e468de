import { ServiceUnavailable } from '#kernel/failures'
import { inTransaction } from '#records/transaction'
import { coreSettings } from '#core/core_settings'
import { SETTLED_AFTER_MS, type ComparisonContext, type ComparisonSteps } from './comparison.js'
import { pagesById } from './pages.js'

const PAGE = `select distinct bucket_id as id from analysis_buckets
  where bucket_id > $1 and created_at < now() - make_interval(secs => $2)
  order by bucket_id limit $3`

/**
 * Removes buckets that storage no longer has, with their files; their analyses get new ones. Refuses to remove many at
 * once.
 */
export async function* removeDanglingBuckets(context: ComparisonContext): ComparisonSteps {
  const dangling: string[] = []
  for await (const page of pagesOfBuckets(context)) {
    const ids = page.map(({ id }) => id)
    const known = await context.inventory.findBuckets(ids)
    dangling.push(...ids.filter((id) => !known.has(id)))
    yield
  }
  requireFew(dangling.length)
  const { pool, origin, buckets, repairs } = context
  for (const id of dangling) {
    await inTransaction(pool, (transaction) => buckets.removeDeleted(transaction, origin, id))
    repairs.removed++
    yield
  }
}

function pagesOfBuckets({ pool, inventory: { pageSize } }: ComparisonContext) {
  return pagesById(pageSize, async (after) => {
    const values = [after, SETTLED_AFTER_MS / 1_000, pageSize]
    const { rows } = await pool.query<{ id: string }>(PAGE, values)
    return rows
  })
}

/** Protects against an empty storage, or the storage of another installation. */
function requireFew(dangling: number): void {
  const { bucketRemovalLimit: limit } = coreSettings()
  if (dangling > limit) {
    throw new ServiceUnavailable(
      `${dangling} buckets of analyses are missing at storage at once, so nothing was changed. ` +
        `If this is correct, set STORAGE_GONE_AT_ONCE=${dangling} (now ${limit}) until they are removed`
    )
  }
}
