import { open, type FileHandle } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { ImageArchiveInvalid } from '#oci/errors'

const CHUNK_BYTES = 256 * 1024

/** Unsupported compression formats: magic bytes and the command that decompresses the file. */
const UNSUPPORTED = [
  { begins: '28b52ffd', command: 'zstd -d' },
  { begins: 'fd377a585a00', command: 'xz -d' },
  { begins: '425a68', command: 'bzip2 -d' },
  { begins: '504b0304', command: 'unzip' },
]

/** Reads a tar sequentially. */
export interface ByteReader {
  /** Returns fewer bytes only at the end of the file. */
  read(length: number): Promise<Buffer>
  skip(length: number): Promise<void>
  chunks(length: number): AsyncGenerator<Buffer, void, undefined>
  close(): Promise<void>
}

/** Opens a tar file, gzipped or not. */
export async function byteReader(path: string): Promise<ByteReader> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new ImageArchiveInvalid(`${path} cannot be read: ${error.code}`, error)
  })
  const { buffer, bytesRead } = await file.read(Buffer.alloc(6), 0, 6, 0)
  const firstBytes = buffer.subarray(0, bytesRead).toString('hex')
  if (firstBytes.startsWith('1f8b')) {
    await file.close()
    return new StreamReader(gunzipFile(path))
  }
  const unsupported = UNSUPPORTED.find(({ begins: magic }) => firstBytes.startsWith(magic))
  if (unsupported) {
    await file.close()
    throw new ImageArchiveInvalid(
      `${path} is not a tar or tar.gz file: run ${unsupported.command} ${path} first`
    )
  }
  return new FileReader(file)
}

/** Reads from a file by offset, so that skipping reads nothing. */
class FileReader implements ByteReader {
  readonly #file: FileHandle
  #at = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  async read(length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#file.read(bytes, filled, length - filled, this.#at)
      if (bytesRead === 0) {
        break
      }
      filled += bytesRead
      this.#at += bytesRead
    }
    return bytes.subarray(0, filled)
  }

  async skip(length: number): Promise<void> {
    this.#at += length
  }

  async *chunks(length: number): AsyncGenerator<Buffer, void, undefined> {
    for (let remaining = length; remaining > 0;) {
      const chunk = await this.read(Math.min(remaining, CHUNK_BYTES))
      if (chunk.length === 0) {
        return
      }
      remaining -= chunk.length
      yield chunk
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/** Decompresses on demand, as far as the consumer reads. */
async function* gunzipFile(path: string): AsyncGenerator<Buffer, void, undefined> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  pipeline(createReadStream(path, { highWaterMark: CHUNK_BYTES }), gunzip, () => {})
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    throw new ImageArchiveInvalid(`${path} is damaged or truncated`, error)
  }
}

/** Reads forward from a stream of chunks. */
export class StreamReader implements ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #buffer: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  async read(length: number): Promise<Buffer> {
    return this.#buffer.length >= length
      ? this.#consume(length)
      : Buffer.concat(await Array.fromAsync(this.chunks(length)))
  }

  async skip(length: number): Promise<void> {
    for (let remaining = length; remaining > 0;) {
      if (this.#buffer.length === 0 && !(await this.#fill())) {
        return
      }
      remaining -= this.#consume(remaining).length
    }
  }

  async *chunks(length: number): AsyncGenerator<Buffer, void, undefined> {
    for (let remaining = length; remaining > 0;) {
      if (this.#buffer.length === 0 && !(await this.#fill())) {
        return
      }
      const chunk = this.#consume(remaining)
      remaining -= chunk.length
      yield chunk
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  /** Returns at most `maxBytes` of what is buffered. */
  #consume(maxBytes: number): Buffer {
    const chunk = this.#buffer.subarray(0, maxBytes)
    this.#buffer = this.#buffer.subarray(chunk.length)
    return chunk
  }

  async #fill(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    this.#buffer = done
      ? this.#buffer
      : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    return !done
  }
}
