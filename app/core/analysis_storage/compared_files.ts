import { inTransaction } from '#records/transaction'
import {
  isOlder,
  ON_ITS_WAY_MS,
  STILL_TO_COME_MS,
  type Compared,
  type Portions,
} from './comparison.js'
import { FIRST_ID, type KeptFile } from './inventory.js'
import { pagesById } from './pages.js'

const PAGE_SIZE = 100
/** As long as a path of a file of an analysis can be. */
const LONGEST_PATH = 256

const BUCKETS = `select id, bucket_id as "bucketId" from analysis_buckets
  where id > $1 order by id limit ${PAGE_SIZE}`

const ENTERED = `select bucket_file_id as id, created_at as "createdAt" from analysis_bucket_files
  where analysis_bucket_id = $1 and bucket_file_id > $2 and ($3::uuid is null or bucket_file_id <= $3)`

interface Bucket {
  readonly id: string
  readonly bucketId: string
}

/** The ids of files after one, up to another or to the end, in which both sides are compared at once. */
interface Range {
  readonly after: string
  readonly last: string | null
}

interface Entered {
  readonly id: string
  readonly createdAt: Date
}

/** Enters the files that core was not told of, and removes those that storage does not have any more. */
export async function* compareFiles(compared: Compared): Portions {
  const pages = pagesById(PAGE_SIZE, async (after) => {
    const { rows } = await compared.pool.query<Bucket>(BUCKETS, [after])
    return rows
  })
  for await (const page of pages) {
    for (const bucket of page) {
      yield* compareBucket(compared, bucket)
    }
  }
}

async function* compareBucket(compared: Compared, bucket: Bucket): Portions {
  const { inventory } = compared
  let after: string | null = FIRST_ID
  while (after !== null) {
    const kept = await inventory.filesIn(bucket.bucketId, after)
    const last: string | null = kept.length < inventory.pageSize ? null : kept.at(-1)!.id
    const entered = await enteredIn(compared, bucket, { after, last })
    await enterMissing(compared, kept, entered)
    await removeGone(compared, kept, entered)
    yield
    after = last
  }
}

async function enteredIn({ pool }: Compared, { id }: Bucket, { after, last }: Range) {
  const { rows } = await pool.query<Entered>(ENTERED, [id, after, last])
  return rows
}

async function enterMissing(
  { pool, origin, files, mended }: Compared,
  kept: readonly KeptFile[],
  entered: readonly Entered[]
): Promise<void> {
  const known = new Set(entered.map(({ id }) => id))
  const missing = kept.filter(
    ({ id, path, createdAt }) =>
      !known.has(id) && path.length <= LONGEST_PATH && isOlder(createdAt, ON_ITS_WAY_MS)
  )
  for (const file of missing) {
    await inTransaction(pool, (transaction) => files.enterStored(transaction, origin, [file]))
    mended.entered++
  }
}

/** What is not in the list may be in another bucket. */
async function removeGone(
  { pool, origin, files, inventory, mended }: Compared,
  kept: readonly KeptFile[],
  entered: readonly Entered[]
): Promise<void> {
  const listed = new Set(kept.map(({ id }) => id))
  const unseen = entered
    .filter(({ id, createdAt }) => !listed.has(id) && isOlder(createdAt, STILL_TO_COME_MS))
    .map(({ id }) => id)
  const known = unseen.length > 0 ? await inventory.knownFiles(unseen) : new Set()
  for (const id of unseen.filter((one) => !known.has(one))) {
    await inTransaction(pool, (transaction) => files.removeDeleted(transaction, origin, id))
    mended.removed++
  }
}
