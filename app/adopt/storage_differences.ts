import { isUuid } from '#kernel/is_uuid'
import type { Texts } from '#adopt/former/former_database'
import type { RowSource } from '#adopt/rows/own_rows'

const BUCKETS_AT_ONCE = 50
const IDS_AT_ONCE = 500

/** The maximal length of the path of a file of an analysis; longer ones are not listed. */
const MAX_PATH_LENGTH = 256

/** A bucket of an analysis, as core lists it. */
interface ListedBucket {
  readonly id: string
  readonly bucketId: string
  readonly analysisId: string
  readonly type: string
}

/** Where core and storage disagree, so that the sweep of an installation would change the content of an analysis. */
export type StorageDifference = { readonly bucket: ListedBucket } & (
  | { readonly problem: 'bucket missing' }
  /** Core lists it, storage does not have it. */
  | { readonly problem: 'file missing'; readonly fileId: string }
  /** Storage has it, core does not list it. */
  | { readonly problem: 'file unlisted'; readonly fileId: string }
)

export interface StorageSides {
  readonly core: RowSource
  readonly storage: RowSource
}

/** Compares what core lists with what storage has, bucket by bucket, as the sweep does. */
export async function* storageDifferences(
  sides: StorageSides,
  bucketsWhere?: string
): AsyncGenerator<StorageDifference, void, void> {
  const buckets = await listBuckets(sides, bucketsWhere)
  for (let at = 0; at < buckets.length; at += BUCKETS_AT_ONCE) {
    yield* compare(sides, buckets.slice(at, at + BUCKETS_AT_ONCE))
  }
}

/** All of them, because MySQL reads one result at a time. */
async function listBuckets(
  { core }: StorageSides,
  where: string | undefined
): Promise<ListedBucket[]> {
  const buckets: ListedBucket[] = []
  const columns = ['id', 'bucket_id', 'analysis_id', 'type']
  for await (const row of rowsOf(core, 'analysis_buckets', columns, where)) {
    buckets.push(...bucketOf(row))
  }
  return buckets
}

async function* compare(
  sides: StorageSides,
  buckets: readonly ListedBucket[]
): AsyncGenerator<StorageDifference, void, void> {
  const { storage } = sides
  const bucketIds = buckets.map(({ bucketId }) => bucketId)
  const known = await idsIn(storage, 'buckets', bucketIds)
  const stored = await storedFiles(storage, bucketIds)
  const listed = await listedFiles(sides, buckets)
  for (const bucket of buckets) {
    if (!known.has(bucket.bucketId)) {
      yield { bucket, problem: 'bucket missing' }
      continue
    }
    const here = stored.get(bucket.bucketId) ?? []
    const expected = listed.get(bucket.id) ?? []
    for (const fileId of without(here, expected)) {
      yield { bucket, problem: 'file unlisted', fileId }
    }
    const unseen = without(expected, here)
    // A file that the bucket does not have may be in another one.
    for (const fileId of without(unseen, await idsIn(storage, 'bucket_files', unseen))) {
      yield { bucket, problem: 'file missing', fileId }
    }
  }
}

type FilesOf = ReadonlyMap<string, ReadonlySet<string>>

const without = (ids: Iterable<string>, others: Iterable<string>): string[] => [
  ...new Set(ids).difference(new Set(others)),
]

/** The files that storage has in these buckets, as far as core lists such. */
async function storedFiles(storage: RowSource, bucketIds: readonly string[]): Promise<FilesOf> {
  const files = new Map(bucketIds.map((id) => [id, new Set<string>()]))
  const columns = ['id', 'bucket_id', 'path']
  const where = within('bucket_id', bucketIds)
  for await (const row of rowsOf(storage, 'bucket_files', columns, where)) {
    if (row.path!.length <= MAX_PATH_LENGTH) {
      files.get(lower(row.bucket_id))?.add(lower(row.id))
    }
  }
  return files
}

/** The files that core lists in these buckets, by the ids of its own rows. */
async function listedFiles(
  { core }: StorageSides,
  buckets: readonly ListedBucket[]
): Promise<FilesOf> {
  const files = new Map(buckets.map(({ id }) => [id, new Set<string>()]))
  const columns = ['id', 'bucket_file_id', 'analysis_bucket_id']
  const inBuckets = within(
    'bucket_id',
    buckets.map(({ bucketId }) => bucketId)
  )
  const inAnalyses = within(
    'analysis_id',
    buckets.map(({ analysisId }) => analysisId)
  )
  const where = `${inBuckets} and ${inAnalyses}`
  for await (const row of rowsOf(core, 'analysis_bucket_files', columns, where)) {
    files.get(lower(row.analysis_bucket_id))?.add(lower(row.bucket_file_id))
  }
  return files
}

/** Rows without valid IDs are not adopted. */
function bucketOf(row: Texts): ListedBucket[] {
  const [id, bucketId, analysisId] = [lower(row.id), lower(row.bucket_id), lower(row.analysis_id)]
  return [id, bucketId, analysisId].every(isUuid)
    ? [{ id, bucketId, analysisId, type: row.type ?? '' }]
    : []
}

const lower = (text: string | null | undefined) => (text ?? '').toLowerCase()

/** The IDs are valid, so they need no escaping. */
const within = (column: string, ids: readonly string[]) =>
  `${column} in (${[...new Set(ids)].map((id) => `'${id}'`).join()})`

async function* rowsOf(
  source: RowSource,
  table: string,
  columns: readonly string[],
  where?: string
): AsyncGenerator<Texts, void, void> {
  for await (const rows of source.read({ table, columns, order: ['id'], where })) {
    yield* rows
  }
}

async function idsIn(
  source: RowSource,
  table: string,
  ids: readonly string[]
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const valid = ids.filter((id) => isUuid(id))
  for (let at = 0; at < valid.length; at += IDS_AT_ONCE) {
    const where = within('id', valid.slice(at, at + IDS_AT_ONCE))
    for await (const row of rowsOf(source, table, ['id'], where)) {
      found.add(lower(row.id))
    }
  }
  return found
}
