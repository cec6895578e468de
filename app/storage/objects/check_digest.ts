import { createHash } from 'node:crypto'

import { withholdLast } from '#kernel/withhold_last'
import { ObjectChanged } from './errors.js'

/** Passes on an object, except its last chunk if the SHA-256 does not match. */
export function checkDigest(
  sha256: string,
  source: AsyncIterable<Uint8Array>
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256')
  return withholdLast(source, {
    update: (chunk) => hash.update(chunk),
    end() {
      if (hash.digest('hex') !== sha256) {
        throw new ObjectChanged()
      }
    },
  })
}
