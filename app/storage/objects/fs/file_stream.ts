import { closeSync, open, read } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'

import type { ByteRange } from '#storage/objects/object_store'
import { BufferStream } from '#storage/objects/buffer_stream'
import { markReleasable } from '#kernel/chunk_memory'

const CHUNK_BYTES = 256 * 1024

const openFile = promisify(open)
const readFile = promisify(read)

/**
 * The bytes of an open file, which is closed with the stream. What fits into one chunk is read at once: of a bucket with a
 * thousand small files, streams would be most of the work.
 */
export async function openStream(file: FileHandle, range?: ByteRange): Promise<Readable> {
  try {
    const { size } = await file.stat()
    const start = range?.start ?? 0
    const end = Math.min(range?.end ?? Number.POSITIVE_INFINITY, size - 1)
    if (end - start >= CHUNK_BYTES) {
      return streamOf(file, start, end)
    }
    const bytes = await readBytes(file, start, Math.max(0, end - start + 1))
    await file.close()
    return new BufferStream(bytes)
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
}

/**
 * All bytes of a file that should have so many: the threads that wait for the disk are asked twice instead of four times. To see
 * that there are more, one more is asked for. Closing a file that was only read waits for nothing.
 */
export async function readSmallFile(path: string, size: number): Promise<Buffer> {
  const file = await openFile(path, 'r')
  try {
    const bytes = Buffer.allocUnsafe(size + 1)
    let filled = 0
    let count: number
    do {
      const { bytesRead } = await readFile(file, bytes, filled, bytes.length - filled, filled)
      count = bytesRead
      filled += bytesRead
    } while (count > 0 && filled < size)
    return bytes.subarray(0, filled)
  } finally {
    closeSync(file)
  }
}

function streamOf(file: FileHandle, start: number, end: number): Readable {
  const stream = Readable.from(chunksOf(file, start, end), {
    objectMode: false,
    highWaterMark: CHUNK_BYTES,
  })
  // Also where nothing was read, and the generator never began.
  stream.once('close', () => void file.close().catch(() => {}))
  return stream
}

async function* chunksOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position <= end;) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - position + 1))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) {
      return
    }
    position += bytesRead
    yield markReleasable(chunk.subarray(0, bytesRead))
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
