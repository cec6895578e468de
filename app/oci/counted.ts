import type { BlobSource } from './image_store.js'

/** Tells somebody of bytes as they pass. */
export async function* counted(
  source: BlobSource,
  onBytes: (bytes: number) => void
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of source) {
    onBytes(piece.byteLength)
    yield piece
  }
}
