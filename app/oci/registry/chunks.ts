import { spend } from '#kernel/passing_bytes'
import type { BlobSource } from '#oci/image_store'

export interface Chunk {
  readonly bytes: Buffer
  readonly isLast: boolean
}

const FIRST_ROOM = 64 * 1024

/**
 * Cuts bytes into chunks of one size, of which the last is shorter. Two buffers take turns: one is filled while the other is
 * sent, so a chunk is good until the one after the next is asked for, and no upload takes more memory than these.
 */
export async function* chunksOf(
  source: BlobSource,
  chunkBytes: number
): AsyncGenerator<Chunk, void, undefined> {
  let filled = 0
  let buffer: Buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_ROOM, chunkBytes))
  let other: Buffer | undefined
  for await (const piece of source) {
    for (let start = 0; start < piece.byteLength;) {
      if (filled === chunkBytes) {
        yield { bytes: buffer, isLast: false }
        const next = other ?? Buffer.allocUnsafeSlow(chunkBytes)
        other = buffer
        buffer = next
        filled = 0
      }
      const taken = Math.min(piece.byteLength - start, chunkBytes - filled)
      buffer = withRoom(buffer, filled + taken, chunkBytes)
      buffer.set(piece.subarray(start, start + taken), filled)
      filled += taken
      start += taken
    }
    spend(piece)
  }
  yield { bytes: buffer.subarray(0, filled), isLast: true }
}

/** Most blobs are small, and none of them is given the room of a large one. */
function withRoom(buffer: Buffer, needed: number, atMost: number): Buffer {
  if (needed <= buffer.length) {
    return buffer
  }
  const length = Math.min(atMost, Math.max(needed, buffer.length * 2))
  return Buffer.from((buffer.buffer as ArrayBuffer).transfer(length))
}
