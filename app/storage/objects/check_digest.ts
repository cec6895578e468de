import { createHash } from 'node:crypto'

import { ObjectChanged } from './errors.js'

/**
 * Passes on an object and verifies its SHA-256. The last chunk is withheld until the digest matches, so no reader
 * gets a complete object that was changed.
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
