import { createHash } from 'node:crypto'

import { DigestMismatch, ManifestInvalid } from './errors.js'
import type { BlobAddress, BlobSource } from './image_store.js'

export const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export const addressOf = (bytes: Uint8Array): BlobAddress => ({
  digest: digestOf(bytes),
  size: bytes.length,
})

/** Passes bytes on and holds back the last chunk until the digest is verified. */
export async function* verifiedBytes(
  source: BlobSource,
  { digest, size }: BlobAddress
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256')
  let length = 0
  let pending: Uint8Array | undefined
  for await (const chunk of source) {
    length += chunk.byteLength
    if (length > size) {
      throw new DigestMismatch(`${digest} should have ${size} bytes, but has more`)
    }
    hash.update(chunk)
    if (pending) {
      yield pending
    }
    pending = chunk
  }
  requireSame({ digest, size }, { digest: `sha256:${hash.digest('hex')}`, size: length })
  if (pending) {
    yield pending
  }
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
export async function readAll(source: BlobSource, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    length += chunk.byteLength
    if (length > maxBytes) {
      throw new ManifestInvalid(
        `A manifest or config of more than ${maxBytes} bytes is not supported`
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
