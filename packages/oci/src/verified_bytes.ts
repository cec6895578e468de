import { createHash } from 'node:crypto'

import { readBounded } from '#kernel/read_bounded'
import { withholdLast } from '#kernel/withhold_last'

import { DigestMismatch, ManifestInvalid } from './errors.js'
import type { BlobAddress, BlobSource } from './image_store.js'

export const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export const addressOf = (bytes: Uint8Array): BlobAddress => ({
  digest: digestOf(bytes),
  size: bytes.length,
})

/** Passes a blob on, except its last chunk if size or digest differ. */
export function verifiedBytes(
  source: BlobSource,
  { digest, size }: BlobAddress
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256')
  let length = 0
  return withholdLast(source, {
    update(chunk) {
      length += chunk.byteLength
      if (length > size) {
        throw new DigestMismatch(`${digest} should have ${size} bytes, but has more`)
      }
      hash.update(chunk)
    },
    end() {
      requireSame({ digest, size }, { digest: `sha256:${hash.digest('hex')}`, size: length })
    },
  })
}

/** Throws if size or digest differ. */
export function requireSame(
  expected: { readonly digest?: string; readonly size?: number },
  actual: BlobAddress
): void {
  if (expected.size !== undefined && expected.size !== actual.size) {
    throw new DigestMismatch(
      `${expected.digest ?? 'A blob'} should have ${expected.size} bytes, but has ${actual.size}`
    )
  }
  if (expected.digest !== undefined && expected.digest !== actual.digest) {
    throw new DigestMismatch(`Digest mismatch: expected ${expected.digest}, got ${actual.digest}`)
  }
}

/** Reads a manifest or config in full. */
export function readAll(source: BlobSource, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new ManifestInvalid(`A manifest or config of more than ${maxBytes} bytes is not supported`)
  return readBounded(source, maxBytes, tooLarge)
}
