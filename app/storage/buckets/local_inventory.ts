import type { Actor } from '#kernel/actor'
import { storagePool } from '#storage/database'

type Owner = Pick<Actor, 'kind' | 'id'>

const PAGE_SIZE = 500

const BUCKETS = `select id, name, created_at as "createdAt" from buckets
  where actor_id = $1 and actor_type = $2 and id > $3 order by id limit ${PAGE_SIZE}`

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
  findBuckets: (ids: readonly string[]) => existingIds('buckets', ids),
  findFiles: (ids: readonly string[]) => existingIds('bucket_files', ids),
  async listBuckets(owner: Owner, after: string): Promise<readonly BucketEntry[]> {
    const { rows } = await storagePool().query<BucketEntry>(BUCKETS, [owner.id, owner.kind, after])
    return rows
  },
  async listFiles(bucketId: string, after: string): Promise<readonly FileEntry[]> {
    const { rows } = await storagePool().query<FileEntry>(FILES, [bucketId, after])
    return rows
  },
}

async function existingIds(
  table: 'buckets' | 'bucket_files',
  ids: readonly string[]
): Promise<ReadonlySet<string>> {
  const { rows } = await storagePool().query<{ id: string }>(
    `select id from ${table} where id = any($1)`,
    [ids]
  )
  return new Set(rows.map(({ id }) => id))
}
