import type { BlobSource } from './image_store.js'

/** Tells somebody of bytes as they pass. */
export async function* countBytes(
  source: BlobSource,
  onBytes: (bytes: number) => void
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of source) {
    onBytes(chunk.byteLength)
    yield chunk
  }
}
