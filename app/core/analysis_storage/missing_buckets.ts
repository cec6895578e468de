import { BUCKET_TYPES } from '#core/analysis_buckets/analysis_bucket'
import { requestBuckets } from '#core/analysis_buckets/bucket_requests'
import { inTransaction } from '#records/transaction'
import { IN_TRANSIT_MS, type ComparisonContext, type ComparisonSteps } from './comparison.js'
import { pagesById } from './pages.js'

const PAGE_SIZE = 100

const PAGE = `select a.id from analyses a
  where a.id > $1 and a.created_at < now() - make_interval(secs => $2)
    and (select count(*) from analysis_buckets b where b.analysis_id = a.id and b.built_in) < ${BUCKET_TYPES.length}
  order by a.id limit ${PAGE_SIZE}`

/** Requests the built-in buckets that analyses lack. */
export async function* requestMissingBuckets(context: ComparisonContext): ComparisonSteps {
  const { pool, upkeep, repairs } = context
  const pages = pagesById(PAGE_SIZE, async (after) => {
    const { rows } = await pool.query<{ id: string }>(PAGE, [after, IN_TRANSIT_MS / 1_000])
    return rows
  })
  for await (const page of pages) {
    for (const { id } of page) {
      repairs.asked += await inTransaction(pool, async (transaction) => {
        const analysis = await upkeep.lock(transaction, id)
        return analysis ? requestBuckets(transaction, analysis) : 0
      })
      yield
    }
  }
}
