import type { Actor } from '#kernel/actor'
import type { ModelClass } from '#records/model'
import { BucketFile } from '#storage/bucket_files/bucket_file'
import { storagePool } from '#storage/database'
import { Bucket } from './bucket.js'

type Owner = Pick<Actor, 'kind' | 'id'>

const PAGE_SIZE = 500

const FILES = `select id, bucket_id as "bucketId", path, actor_type as "actorType", actor_id as "actorId",
    created_at as "createdAt"
  from bucket_files where bucket_id = $1 and id > $2 order by id limit ${PAGE_SIZE}`

interface BucketEntry {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
}

interface FileEntry {
  readonly id: string
  readonly bucketId: string
  readonly path: string
  readonly actorType: 'user' | 'client' | 'robot'
  readonly actorId: string
  readonly createdAt: Date
}

/** The buckets and files, for other surfaces of this process. */
export const localInventory = {
  pageSize: PAGE_SIZE,
  findBuckets: (ids: readonly string[]) => existingIds(Bucket, ids),
  findFiles: (ids: readonly string[]) => existingIds(BucketFile, ids),
  async listBuckets({ id, kind }: Owner, after: string): Promise<readonly BucketEntry[]> {
    const buckets = await Bucket.query()
      .where({ actorId: id, actorType: kind })
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE_SIZE)
    return buckets.map((it) => ({ id: it.id, name: it.name, createdAt: it.createdAt.toJSDate() }))
  },
  async listFiles(bucketId: string, after: string): Promise<readonly FileEntry[]> {
    const { rows } = await storagePool().query<FileEntry>(FILES, [bucketId, after])
    return rows
  },
}

async function existingIds(
  model: ModelClass,
  ids: readonly string[]
): Promise<ReadonlySet<string>> {
  const found = await model.query().select('id').whereIn('id', [...ids])
  return new Set(found.map(({ id }) => id))
}
