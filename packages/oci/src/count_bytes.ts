import type { BlobSource } from './image_store.js'

/** Reports the size of each chunk that passes. */
export async function* countBytes(
  source: BlobSource,
  onBytes: (bytes: number) => void
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of source) {
    onBytes(chunk.byteLength)
    yield chunk
  }
}
