import { createHash } from 'node:crypto'

import type { Platform } from '#worker/platform/platform'
import { isPlatformUnavailable } from '#worker/platform/platform_errors'
import { codeChanged, type CodeFile } from './code_files.js'

/** How often one file is gone on with after storage broke off. */
const MAX_RESUMES = 5

/**
 * What is in a file, no more of it than it should have. Fails at the end where the bytes are not what was stored: somebody changed them
 * behind the platform's back.
 */
export async function* fileBytes(
  platform: Platform,
  { bucketFileId, path, size, sha256: expected }: CodeFile,
  onRead: (path: string, sha256: string) => void = () => {}
): AsyncGenerator<Uint8Array, void, undefined> {
  const digest = createHash('sha256')
  let read = 0
  let sha256 = expected
  for (let failures = 0, isComplete = false; !isComplete;) {
    const content = await platform.content(bucketFileId, read)
    if (!content) {
      throw codeChanged(path, 'is not stored any more')
    }
    sha256 ??= content.sha256
    try {
      for await (const chunk of content.bytes) {
        read += chunk.byteLength
        if (read > size) {
          throw codeChanged(path, 'is not what was stored')
        }
        digest.update(chunk)
        yield chunk
      }
      isComplete = true
    } catch (error) {
      if (!isPlatformUnavailable(error) || ++failures > MAX_RESUMES) {
        throw error
      }
      isComplete = read === size
    }
  }
  const actual = digest.digest('hex')
  if (read !== size || (sha256 !== undefined && actual !== sha256)) {
    throw codeChanged(path, 'is not what was stored')
  }
  onRead(path, actual)
}
