import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

import type { ByteRange } from '#storage/objects/object_store'

const CHUNK_BYTES = 256 * 1024

/**
 * The bytes of an open file, which is closed with the stream. What fits into one chunk is read at once: of a bucket with a
 * thousand small files, streams would be most of the work.
 */
export async function openBytes(file: FileHandle, range?: ByteRange): Promise<Readable> {
  try {
    const { size } = await file.stat()
    const start = range?.start ?? 0
    const end = Math.min(range?.end ?? Number.POSITIVE_INFINITY, size - 1)
    if (end - start >= CHUNK_BYTES) {
      return file.createReadStream({ start, end, highWaterMark: CHUNK_BYTES })
    }
    const bytes = await readBytes(file, start, Math.max(0, end - start + 1))
    await file.close()
    return Readable.from(bytes)
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
}

async function readBytes(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled)
    if (bytesRead === 0) {
      break
    }
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
