import { EXIT } from '#hubctl/exit_codes'
import { findAnalysisBucket, BUCKET_TYPES } from '#hubctl/kinds/analysis_bucket'
import { findRecord } from '#hubctl/kinds/find_record'
import { BUCKET_FILES, BUCKETS } from '#hubctl/kinds/record_collections'
import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { Problem, UsageProblem } from '#hubctl/problem'

export interface BucketFile extends Fields {
  readonly id: string
  readonly path: string
  readonly size: number | null
  readonly createdAt: string
}

/** A bucket and a path in it: `results:2026/table.csv`, `code@trial:main.py`. */
export interface BucketLocation {
  readonly bucket: string
  readonly path: string
}

/** A name with a colon is in a bucket; `./a:b` is a local file. */
export function parseBucketLocation(text: string): BucketLocation | undefined {
  const found = /^([^/:\\]{2,}):(.*)$/s.exec(text)
  return found ? { bucket: found[1]!, path: found[2]!.replace(/^\/+/, '') } : undefined
}

export function requireBucketLocation(text: string): BucketLocation {
  const location = parseBucketLocation(text)
  if (!location) {
    throw new UsageProblem(
      `"${text}" is not a location in a bucket.`,
      'A location is <bucket>:<path>'
    )
  }
  return location
}

const OF_ANALYSIS = new RegExp(`^(${BUCKET_TYPES.join('|')})@(.+)$`)

/** Finds a bucket by id or name, or by analysis: `code@trial`. */
export async function findBucket(api: Api, { bucket }: BucketLocation): Promise<{ id: string }> {
  const [, type, analysis] = OF_ANALYSIS.exec(bucket) ?? []
  if (type === undefined || analysis === undefined) {
    return findRecord(api, BUCKETS, bucket)
  }
  const { bucketId } = await findAnalysisBucket(api, analysis, type)
  return { id: bucketId }
}

/** The files of a bucket, or only those below a path. */
export async function listFiles(api: Api, bucketId: string, path: string): Promise<BucketFile[]> {
  const files = await allOf<BucketFile>(api, BUCKET_FILES.service, BUCKET_FILES.path, {
    query: [['filter[bucketId]', bucketId]],
  })
  const folder = path === '' || path.endsWith('/') ? path : `${path}/`
  return files
    .filter((file) => file.path === path || file.path.startsWith(folder))
    .toSorted((one, other) => one.path.localeCompare(other.path))
}

/** One file of a bucket by its path. */
export async function findFile(
  api: Api,
  bucketId: string,
  { bucket, path }: BucketLocation
): Promise<BucketFile> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const escapedName = name.replaceAll("'", "''")
  const files = await allOf<BucketFile>(api, BUCKET_FILES.service, BUCKET_FILES.path, {
    query: [['filter', `and(eq(bucketId,'${bucketId}'),eq(name,'${escapedName}'))`]],
  })
  const found = files.find((file) => file.path === path)
  if (!found) {
    throw new Problem(
      EXIT.notFound,
      `The bucket ${bucket} has no file ${path || 'without a path'}.`,
      [`List its files: hubctl bucket ls ${bucket}:`]
    )
  }
  return found
}
