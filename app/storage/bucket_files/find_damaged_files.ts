import { createHash, hash } from 'node:crypto'

import { inParallel } from '#kernel/in_parallel'
import { releaseChunks } from '#kernel/chunk_memory'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import { objectStore } from '#storage/objects/store'
import { groupSmallObjects } from '#storage/objects/small_objects'
import { storagePool } from '#storage/database'
import type { FileRow } from './file_row.js'

const CONCURRENT_RUNS = 4

type StoredFileRow = Pick<FileRow, 'id' | 'layout' | 'bucketId' | 'hash' | 'size' | 'sha256'>
type SmallFileRow = StoredFileRow & { readonly size: number }

/** Ordered by size, so that small files are adjacent. */
const FILES_BY_ID = {
  name: 'bucket-files-by-id',
  text: `select id, layout, bucket_id as "bucketId", hash, size::float8 as size, sha256
    from bucket_files where id = any($1::uuid[]) order by bucket_files.size`,
}

/** The files whose content is missing or differs from the recorded digest. */
export async function findDamagedFiles(ids: readonly string[]): Promise<readonly string[]> {
  const store = await objectStore()
  const { rows } = await storagePool().query<StoredFileRow>({ ...FILES_BY_ID, values: [ids] })
  const intact = await inParallel(groupSmallObjects(rows), CONCURRENT_RUNS, async (run) =>
    Array.isArray(run) ? intactFiles(store, run) : (await isIntact(store, run)) ? [run.id] : []
  )
  const intactIds = new Set(intact.flat())
  return ids.filter((id) => !intactIds.has(id))
}

/** Older files have no digest; they are only checked for existence. */
async function intactFiles(store: ObjectStore, files: readonly SmallFileRow[]): Promise<string[]> {
  const contents = await store.readSmall(
    files.map((file) => ({ address: addressOf(file), size: file.size }))
  )
  const hasDigest = ({ sha256 }: SmallFileRow, n: number) => {
    const content = contents[n]!
    return sha256 === null
      ? !(content instanceof ObjectMissing)
      : content instanceof Buffer && hash('sha256', content) === sha256
  }
  const intact = files.filter(hasDigest).map(({ id }) => id)
  releaseChunks(contents.filter((content) => Buffer.isBuffer(content)))
  return intact
}

async function isIntact(store: ObjectStore, file: StoredFileRow): Promise<boolean> {
  try {
    const digest = createHash('sha256')
    for await (const chunk of await store.read(addressOf(file))) {
      digest.update(chunk)
    }
    return file.sha256 === null || digest.digest('hex') === file.sha256
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return false
    }
    throw error
  }
}

const addressOf = ({ layout, bucketId, hash: key }: StoredFileRow) =>
  objectAddress(layout, bucketId, key)
