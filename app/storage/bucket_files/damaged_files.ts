import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'

import { ObjectMissing } from '#storage/objects/errors'
import { objectAddress } from '#storage/objects/layout'
import { objectStore } from '#storage/objects/store'
import { storagePool } from '#storage/database'
import { FILE_BY_ID, type FileRow } from './file_row.js'

/** Which of these files are not, or not any more, what was stored: their bytes are read and compared with the digest of then. */
export async function damagedFiles(ids: readonly string[]): Promise<readonly string[]> {
  const damaged: string[] = []
  for (const id of ids) {
    const { rows } = await storagePool().query<FileRow>({ ...FILE_BY_ID, values: [id] })
    if (!rows[0] || !(await isAsStored(rows[0]))) {
      damaged.push(id)
    }
  }
  return damaged
}

/** Of a file of before digests were kept nobody knows more than that it is there. */
async function isAsStored({ layout, bucketId, hash, sha256 }: FileRow): Promise<boolean> {
  try {
    const store = await objectStore()
    const digest = createHash('sha256')
    await pipeline(await store.read(objectAddress(layout, bucketId, hash)), digest)
    return sha256 === null || digest.digest('hex') === sha256
  } catch (error) {
    if (error instanceof ObjectMissing) {
      return false
    }
    throw error
  }
}
