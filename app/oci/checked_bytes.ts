import { createHash } from 'node:crypto'

import { DigestMismatch, ManifestInvalid } from './errors.js'
import type { BlobAddress, BlobSource } from './image_store.js'

export const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export const addressOf = (bytes: Uint8Array): BlobAddress => ({
  digest: digestOf(bytes),
  size: bytes.length,
})

/** Passes bytes on as long as they can be those of a blob. The last piece is held back until the digest is known to be right. */
export async function* checkedBytes(
  source: BlobSource,
  { digest, size }: BlobAddress
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256')
  let length = 0
  let held: Uint8Array | undefined
  for await (const piece of source) {
    length += piece.byteLength
    if (length > size) {
      throw new DigestMismatch(`${digest} should have ${size} bytes, and has more`)
    }
    hash.update(piece)
    if (held) {
      yield held
    }
    held = piece
  }
  requireSame({ digest, size }, { digest: `sha256:${hash.digest('hex')}`, size: length })
  if (held) {
    yield held
  }
}

/** Throws where bytes are not those that were asked for. */
export function requireSame(
  wanted: { readonly digest?: string; readonly size?: number },
  found: BlobAddress
): void {
  if (wanted.size !== undefined && wanted.size !== found.size) {
    throw new DigestMismatch(
      `${wanted.digest ?? 'A blob'} should have ${wanted.size} bytes, and has ${found.size}`
    )
  }
  if (wanted.digest !== undefined && wanted.digest !== found.digest) {
    throw new DigestMismatch(`What should be ${wanted.digest} is ${found.digest}`)
  }
}

/** All bytes of a blob that describes something, and is small therefore. */
export async function wholeBytes(source: BlobSource, atMost: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of source) {
    length += piece.byteLength
    if (length > atMost) {
      throw new ManifestInvalid(`A description of more than ${atMost} bytes is none`)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
