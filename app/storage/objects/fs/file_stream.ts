import { closeSync, constants, open, read } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'

import type { ByteRange } from '#storage/objects/object_store'
import { BufferStream } from '#storage/objects/buffer_stream'
import { markReleasable } from '#kernel/chunk_memory'

const CHUNK_BYTES = 256 * 1024

/** A pipe or device would keep a thread waiting for a writer; without blocking, reading it ends at once. */
export const READ_ONLY = constants.O_RDONLY | constants.O_NONBLOCK

/** What has the name of an object is a pipe, a device or a folder. */
class NotAFile extends Error {
  readonly code = 'ENOENT'

  constructor() {
    super('It is not a regular file')
  }
}

const openFile = promisify(open)
const readFile = promisify(read)

/**
 * Streams an open file and closes it at the end. What fits into one chunk is read at once: for many small files,
 * streams would dominate the cost.
 */
export async function openStream(file: FileHandle, range?: ByteRange): Promise<Readable> {
  try {
    const facts = await file.stat()
    if (!facts.isFile()) {
      throw new NotAFile()
    }
    const { size } = facts
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
 * Reads a file of an expected size with two calls to the thread pool. Reads one byte more to detect a larger file.
 * Closing is synchronous, because nothing was written.
 */
export async function readSmallFile(path: string, size: number): Promise<Buffer> {
  const file = await openFile(path, READ_ONLY)
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
  // Also closes a file whose generator was never started.
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
