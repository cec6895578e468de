import { AnalysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { inPages } from '#records/in_pages'
import { inTransaction } from '#records/transaction'
import {
  isOlder,
  IN_TRANSIT_MS,
  SETTLED_AFTER_MS,
  type ComparisonContext,
  type ComparisonSteps,
} from './comparison.js'
import { FIRST_ID, type InventoryFile } from './inventory.js'

/** The maximal length of the path of a file of an analysis. */
const MAX_PATH_LENGTH = 256

/** Also files that callers removed, which count as known until storage has deleted them. */
const STORED_ROWS = `select id, "createdAt" from (
    select bucket_file_id, created_at from analysis_bucket_files where analysis_bucket_id = $1
    union all
    select bucket_file_id, removed_at from removed_analysis_files where analysis_bucket_id = $1
  ) as f (id, "createdAt")
  where id > $2 and ($3::uuid is null or id <= $3)`

/** A range of file ids that is compared at once; open-ended if `last` is null. */
interface Range {
  readonly after: string
  readonly last: string | null
}

interface FileRow {
  readonly id: string
  readonly createdAt: Date
}

/** Adds files that core has no record of, and deletes records of files that storage no longer has. */
export async function* compareFiles(context: ComparisonContext): ComparisonSteps {
  for await (const bucket of inPages(AnalysisBucket.query().select('id', 'bucketId'))) {
    yield* compareBucket(context, bucket)
  }
}

async function* compareBucket(context: ComparisonContext, bucket: AnalysisBucket): ComparisonSteps {
  const { inventory } = context
  let after: string | null = FIRST_ID
  while (after !== null) {
    const stored = await inventory.listFiles(bucket.bucketId, after)
    const last: string | null = stored.length < inventory.pageSize ? null : stored.at(-1)!.id
    const rows = await findRows(context, bucket, { after, last })
    await insertMissing(context, stored, rows)
    await deleteDangling(context, stored, rows)
    yield
    after = last
  }
}

async function findRows(
  { pool }: ComparisonContext,
  { id }: AnalysisBucket,
  { after, last }: Range
) {
  const { rows } = await pool.query<FileRow>(STORED_ROWS, [id, after, last])
  return rows
}

async function insertMissing(
  { pool, origin, files, repairs }: ComparisonContext,
  stored: readonly InventoryFile[],
  rows: readonly FileRow[]
): Promise<void> {
  const known = new Set(rows.map(({ id }) => id))
  const missing = stored.filter(
    ({ id, path, createdAt }) =>
      !known.has(id) && path.length <= MAX_PATH_LENGTH && isOlder(createdAt, IN_TRANSIT_MS)
  )
  for (const file of missing) {
    await inTransaction(pool, (transaction) => files.addStored(transaction, origin, [file]))
    repairs.entered++
  }
}

/** A file that is not listed may have moved to another bucket. */
async function deleteDangling(
  { pool, origin, files, inventory, repairs }: ComparisonContext,
  stored: readonly InventoryFile[],
  rows: readonly FileRow[]
): Promise<void> {
  const listedIds = new Set(stored.map(({ id }) => id))
  const unseen = rows
    .filter(({ id, createdAt }) => !listedIds.has(id) && isOlder(createdAt, SETTLED_AFTER_MS))
    .map(({ id }) => id)
  const known = unseen.length > 0 ? await inventory.findFiles(unseen) : new Set()
  for (const id of unseen.filter((one) => !known.has(one))) {
    await inTransaction(pool, (transaction) => files.removeDeleted(transaction, origin, id))
    repairs.removed++
  }
}
