import { releaseChunk } from '#kernel/chunk_memory'
import type { BlobSource } from '#oci/image_store'

export interface Chunk {
  readonly bytes: Buffer
  readonly isLast: boolean
}

const INITIAL_BYTES = 64 * 1024

/**
 * Splits bytes into chunks of equal size; the last one is shorter. Two buffers alternate, one filled while the other is
 * sent. A chunk is valid until the second next one is requested.
 */
export async function* chunksOf(
  source: BlobSource,
  chunkBytes: number
): AsyncGenerator<Chunk, void, undefined> {
  let filled = 0
  let buffer: Buffer = Buffer.allocUnsafeSlow(Math.min(INITIAL_BYTES, chunkBytes))
  let spare: Buffer | undefined
  for await (const input of source) {
    for (let start = 0; start < input.byteLength;) {
      if (filled === chunkBytes) {
        yield { bytes: buffer, isLast: false }
        const next = spare ?? Buffer.allocUnsafeSlow(chunkBytes)
        spare = buffer
        buffer = next
        filled = 0
      }
      const length = Math.min(input.byteLength - start, chunkBytes - filled)
      buffer = ensureCapacity(buffer, filled + length, chunkBytes)
      buffer.set(input.subarray(start, start + length), filled)
      filled += length
      start += length
    }
    releaseChunk(input)
  }
  yield { bytes: buffer.subarray(0, filled), isLast: true }
}

/** Most blobs are small and do not need a buffer of the full chunk size. */
function ensureCapacity(buffer: Buffer, needed: number, maxBytes: number): Buffer {
  if (needed <= buffer.length) {
    return buffer
  }
  const length = Math.min(maxBytes, Math.max(needed, buffer.length * 2))
  return Buffer.from((buffer.buffer as ArrayBuffer).transfer(length))
}
