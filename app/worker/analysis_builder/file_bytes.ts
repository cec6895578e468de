import { createHash } from 'node:crypto'

import type { Platform } from '#worker/platform/platform'
import { isPlatformAway } from '#worker/platform/problems'
import { codeChanged, type CodeFile } from './code_files.js'

/** How often one file is gone on with after storage broke off. */
const RESUMED = 5

/**
 * What is in a file, no more of it than it should have. Fails at the end where the bytes are not what was stored: somebody changed them
 * behind the platform's back.
 */
export async function* fileBytes(
  platform: Platform,
  { bucketFileId, path, size, sha256: stored }: CodeFile,
  whole: (path: string, sha256: string) => void = () => {}
): AsyncGenerator<Uint8Array, void, undefined> {
  const digest = createHash('sha256')
  let read = 0
  let sha256 = stored
  for (let failures = 0, isOver = false; !isOver;) {
    const content = await platform.content(bucketFileId, read)
    if (!content) {
      throw codeChanged(path, 'is not stored any more')
    }
    sha256 ??= content.sha256
    try {
      for await (const piece of content.bytes) {
        read += piece.byteLength
        if (read > size) {
          throw codeChanged(path, 'is not what was stored')
        }
        digest.update(piece)
        yield piece
      }
      isOver = true
    } catch (error) {
      if (!isPlatformAway(error) || ++failures > RESUMED) {
        throw error
      }
      isOver = read === size
    }
  }
  const found = digest.digest('hex')
  if (read !== size || (sha256 !== undefined && found !== sha256)) {
    throw codeChanged(path, 'is not what was stored')
  }
  whole(path, found)
}
