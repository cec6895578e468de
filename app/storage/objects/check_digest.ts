import { createHash } from 'node:crypto'

import { ObjectChanged } from './errors.js'

/**
 * Passes on the bytes of an object whose SHA-256 was taken when it was stored. The last piece is held back until they are known to be
 * the same: nobody ever has the whole of an object that was changed.
 */
export async function* checkDigest(
  sha256: string,
  source: AsyncIterable<Uint8Array>
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256')
  let last: Uint8Array | undefined
  for await (const chunk of source) {
    hash.update(chunk)
    if (last) {
      yield last
    }
    last = chunk
  }
  if (hash.digest('hex') !== sha256) {
    throw new ObjectChanged()
  }
  if (last) {
    yield last
  }
}
