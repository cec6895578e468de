import { objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import { storagePool } from '#storage/database'
import { groupSmallObjects } from '#storage/objects/small_objects'
import type { TarEntry, TarRun } from './tar_entry.js'
import { SizeUnknown } from './tar_stream.js'

/** Two full runs of small files. */
const PAGE_SIZE = 512

interface FileRow {
  path: string
  hash: string
  layout: Layout
  size: number | null
  sha256: string | null
  modifiedAt: Date
}

/** Reads files page by page by the unique index of paths: no transaction stays open for a slow reader. */
const NEXT_PAGE = `
  select path, hash, layout, size::float8 as size, sha256, created_at as "modifiedAt"
  from bucket_files where bucket_id = $1 and path > $2 order by path limit ${PAGE_SIZE}`

/** The files of a bucket for a tar, ordered by path. */
export async function* bucketEntries(
  bucketId: string,
  store: ObjectStore
): AsyncGenerator<TarEntry | TarRun, void, undefined> {
  const addressOf = ({ layout, hash }: FileRow) => objectAddress(layout, bucketId, hash)
  let last = ''
  for (;;) {
    const { rows } = await storagePool().query<FileRow>(NEXT_PAGE, [bucketId, last])
    for (const run of groupSmallObjects(rows)) {
      if (Array.isArray(run)) {
        const objects = run.map((row) => ({ address: addressOf(row), size: row.size }))
        yield { files: run, read: () => store.readSmall(objects) }
      } else {
        yield { ...run, open: () => store.read(addressOf(run)) }
      }
    }
    if (rows.length < PAGE_SIZE) {
      return
    }
    last = rows.at(-1)!.path
  }
}

/** Throws before the tar starts if the size of a file was never recorded. */
export async function requireSizes(bucketId: string): Promise<void> {
  const { rows } = await storagePool().query<{ path: string }>(
    'select path from bucket_files where bucket_id = $1 and size is null limit 1',
    [bucketId]
  )
  if (rows[0]) {
    throw new SizeUnknown(rows[0].path)
  }
}
