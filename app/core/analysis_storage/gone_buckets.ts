import { ServiceUnavailable } from '#kernel/failures'
import { inTransaction } from '#records/transaction'
import { env } from '#start/env'
import { STILL_TO_COME_MS, type Compared, type Portions } from './comparison.js'
import { pagesById } from './pages.js'

const PAGE = `select distinct bucket_id as id from analysis_buckets
  where bucket_id > $1 and created_at < now() - make_interval(secs => $2)
  order by bucket_id limit $3`

/** Removes the buckets that storage does not have any more, with their files; the analyses get others. Where many are gone, none is. */
export async function* removeGoneBuckets(compared: Compared): Portions {
  const gone: string[] = []
  for await (const page of pagesOfBuckets(compared)) {
    const ids = page.map(({ id }) => id)
    const known = await compared.inventory.knownBuckets(ids)
    gone.push(...ids.filter((id) => !known.has(id)))
    yield
  }
  requireFew(gone.length)
  const { pool, origin, buckets, mended } = compared
  for (const id of gone) {
    await inTransaction(pool, (transaction) => buckets.removeDeleted(transaction, origin, id))
    mended.removed++
    yield
  }
}

function pagesOfBuckets({ pool, inventory: { pageSize } }: Compared) {
  return pagesById(pageSize, async (after) => {
    const values = [after, STILL_TO_COME_MS / 1_000, pageSize]
    const { rows } = await pool.query<{ id: string }>(PAGE, values)
    return rows
  })
}

/** An empty storage, or one of another installation, has none of them. */
function requireFew(gone: number): void {
  const most = env.STORAGE_GONE_AT_ONCE
  if (gone > most) {
    throw new ServiceUnavailable(
      `${gone} buckets of analyses would be gone from storage at once, so nothing was changed. ` +
        `Where that is right, set STORAGE_GONE_AT_ONCE=${gone} (now ${most}) until it is done`
    )
  }
}
