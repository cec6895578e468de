import { createHash } from 'node:crypto'

import type { ListedObject } from './object_list.js'

/** The content differs from the size or digest of its file. */
export class ContentMismatch extends Error {}

/** Passes bytes on, and fails if there are too many of them, or at the end if size or digest differ. */
export async function* verifiedBytes(
  { size, sha256 }: Pick<ListedObject, 'size' | 'sha256'>,
  source: AsyncIterable<Uint8Array>
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  let count = 0
  for await (const chunk of source) {
    digest.update(chunk)
    count += chunk.byteLength
    if (size !== null && count > size) {
      throw new ContentMismatch(`expected ${size} bytes, got more`)
    }
    yield chunk
  }
  const actual = digest.digest('hex')
  if ((size !== null && count !== size) || (sha256 !== null && actual !== sha256)) {
    throw new ContentMismatch(
      `expected ${size} bytes with digest ${sha256}, got ${count} bytes with digest ${actual}`
    )
  }
}
