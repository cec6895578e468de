import { createHash } from 'node:crypto'

import type { Platform } from '#worker/platform/platform'
import { isPlatformUnavailable } from '#worker/platform/platform_errors'
import { codeChanged, type CodeFile } from './code_files.js'

/** How often a broken download is resumed. */
const MAX_RESUMES = 5

/** Streams a file and verifies size and digest. Fails at the end if the stored bytes changed. */
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
      throw codeChanged(path, 'is no longer stored')
    }
    sha256 ??= content.sha256
    try {
      for await (const chunk of content.bytes) {
        read += chunk.byteLength
        if (read > size) {
          throw codeChanged(path, 'differs from the stored digest')
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
    throw codeChanged(path, 'differs from the stored digest')
  }
  onRead(path, actual)
}
