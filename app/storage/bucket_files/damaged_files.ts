import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'

import { inParallel } from '#kernel/in_parallel'
import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress } from '#storage/objects/layout'
import { objectStore } from '#storage/objects/store'
import { storagePool } from '#storage/database'
import type { FileRow } from './file_row.js'

const FILES_AT_ONCE = 8

type Stored = Pick<FileRow, 'id' | 'layout' | 'bucketId' | 'hash' | 'size' | 'sha256'>

const FILES_BY_ID = {
  name: 'bucket-files-by-id',
  text: `select id, layout, bucket_id as "bucketId", hash, size::float8 as size, sha256
    from bucket_files where id = any($1::uuid[])`,
}

/** Which of these files are not, or not any more, what was stored: their bytes are read and compared with the digest of then. */
export async function damagedFiles(ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await storagePool().query<Stored>({ ...FILES_BY_ID, values: [ids] })
  const whole = new Set<string>()
  await inParallel(rows, FILES_AT_ONCE, async (file) => {
    if (await isAsStored(file)) {
      whole.add(file.id)
    }
  })
  return ids.filter((id) => !whole.has(id))
}

/** Of a file of before digests were kept nobody knows more than that it is there. */
async function isAsStored({ layout, bucketId, hash, size, sha256 }: Stored): Promise<boolean> {
  try {
    const store = await objectStore()
    const digest = createHash('sha256')
    const bytes = await store.read(
      objectAddress(layout, bucketId, hash),
      undefined,
      size ?? undefined
    )
    await pipeline(bytes, digest)
    return sha256 === null || digest.digest('hex') === sha256
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return false
    }
    throw error
  }
}
