import { hash } from 'node:crypto'

import { markReleasable, releaseChunks } from '#kernel/chunk_memory'
import { padding, tarHeader } from '#kernel/tar_header'
import { safePath } from '#storage/bucket_files/file_path'
import { ObjectChanged } from '#storage/objects/errors'
import type { SmallTarFile } from './tar_entry.js'

/** Small files with their headers as one buffer. Throws if a file is missing or changed. Recycles the contents. */
export function tarSmallFiles(
  files: readonly SmallTarFile[],
  contents: readonly (Buffer | Error)[]
): Buffer {
  const chunks = files.flatMap(({ path, size, sha256, modifiedAt }, n) => {
    const content = contents[n]!
    if (content instanceof Error) {
      throw content
    }
    if (sha256 !== null && hash('sha256', content) !== sha256) {
      throw new ObjectChanged()
    }
    return [tarHeader({ path: safePath(path), size, modifiedAt }), content, padding(size)]
  })
  const tar = markReleasable(Buffer.concat(chunks))
  releaseChunks(contents.filter((content) => Buffer.isBuffer(content)))
  return tar
}
