import { createHash, hash } from 'node:crypto'

import { inParallel } from '#kernel/in_parallel'
import { releaseChunks } from '#kernel/chunk_memory'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import { objectStore } from '#storage/objects/store'
import { inRuns } from '#storage/objects/whole_objects'
import { storagePool } from '#storage/database'
import type { FileRow } from './file_row.js'

const RUNS_AT_ONCE = 4

type Stored = Pick<FileRow, 'id' | 'layout' | 'bucketId' | 'hash' | 'size' | 'sha256'>
type Small = Stored & { readonly size: number }

/** By their size, so that small ones follow each other. */
const FILES_BY_ID = {
  name: 'bucket-files-by-id',
  text: `select id, layout, bucket_id as "bucketId", hash, size::float8 as size, sha256
    from bucket_files where id = any($1::uuid[]) order by bucket_files.size`,
}

/** Which of these files are not, or not any more, what was stored: their bytes are read and compared with the digest of then. */
export async function damagedFiles(ids: readonly string[]): Promise<readonly string[]> {
  const store = await objectStore()
  const { rows } = await storagePool().query<Stored>({ ...FILES_BY_ID, values: [ids] })
  const whole = await inParallel(inRuns(rows), RUNS_AT_ONCE, async (run) =>
    Array.isArray(run) ? wholeOnes(store, run) : (await isAsStored(store, run)) ? [run.id] : []
  )
  const known = new Set(whole.flat())
  return ids.filter((id) => !known.has(id))
}

/** Of a file of before digests were kept nobody knows more than that it is there. */
async function wholeOnes(store: ObjectStore, files: readonly Small[]): Promise<string[]> {
  const contents = await store.readWhole(
    files.map((file) => ({ address: addressOf(file), size: file.size }))
  )
  const isWhole = ({ sha256 }: Small, n: number) => {
    const content = contents[n]!
    return sha256 === null
      ? !(content instanceof ObjectMissing)
      : content instanceof Buffer && hash('sha256', content) === sha256
  }
  const whole = files.filter(isWhole).map(({ id }) => id)
  releaseChunks(contents.filter((content) => Buffer.isBuffer(content)))
  return whole
}

async function isAsStored(store: ObjectStore, file: Stored): Promise<boolean> {
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

const addressOf = ({ layout, bucketId, hash: key }: Stored) => objectAddress(layout, bucketId, key)
