import { open, type FileHandle } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { ImageArchiveInvalid } from '#oci/errors'

const PIECE_BYTES = 256 * 1024

/** Other ways to compress, by how their files begin, and what undoes them. */
const OTHERS = [
  { begins: '28b52ffd', undo: 'zstd -d' },
  { begins: 'fd377a585a00', undo: 'xz -d' },
  { begins: '425a68', undo: 'bzip2 -d' },
  { begins: '504b0304', undo: 'unzip' },
]

/** The bytes of a tar from the first to the last. */
export interface ByteReader {
  /** Fewer than so many only at the end. */
  read(length: number): Promise<Buffer>
  skip(length: number): Promise<void>
  pieces(length: number): AsyncGenerator<Buffer, void, undefined>
  close(): Promise<void>
}

/** Reads a file as it is, or what was compressed into it. */
export async function byteReader(path: string): Promise<ByteReader> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new ImageArchiveInvalid(`${path} cannot be read: ${error.code}`, error)
  })
  const { buffer, bytesRead } = await file.read(Buffer.alloc(6), 0, 6, 0)
  const beginning = buffer.subarray(0, bytesRead).toString('hex')
  if (beginning.startsWith('1f8b')) {
    await file.close()
    return new StreamReader(uncompressed(path))
  }
  const other = OTHERS.find(({ begins }) => beginning.startsWith(begins))
  if (other) {
    await file.close()
    throw new ImageArchiveInvalid(`${path} has to be a tar, or one of gzip: ${other.undo} ${path}`)
  }
  return new FileReader(file)
}

/** Goes to any place in a file; what is skipped is not read. */
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

  async *pieces(length: number): AsyncGenerator<Buffer, void, undefined> {
    for (let left = length; left > 0;) {
      const piece = await this.read(Math.min(left, PIECE_BYTES))
      if (piece.length === 0) {
        return
      }
      left -= piece.length
      yield piece
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/** Uncompresses as far as somebody reads. */
async function* uncompressed(path: string): AsyncGenerator<Buffer, void, undefined> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES })
  pipeline(createReadStream(path, { highWaterMark: PIECE_BYTES }), gunzip, () => {})
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    throw new ImageArchiveInvalid(`${path} is damaged, or was not copied to its end`, error)
  }
}

/** Reads what comes piece by piece, and goes only forward. */
export class StreamReader implements ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>
  #left: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]()
  }

  async read(length: number): Promise<Buffer> {
    return this.#left.length >= length
      ? this.#take(length)
      : Buffer.concat(await Array.fromAsync(this.pieces(length)))
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0;) {
      if (this.#left.length === 0 && !(await this.#more())) {
        return
      }
      left -= this.#take(left).length
    }
  }

  async *pieces(length: number): AsyncGenerator<Buffer, void, undefined> {
    for (let left = length; left > 0;) {
      if (this.#left.length === 0 && !(await this.#more())) {
        return
      }
      const piece = this.#take(left)
      left -= piece.length
      yield piece
    }
  }

  async close(): Promise<void> {
    await this.#pieces.return?.()
  }

  /** Of what has come already. */
  #take(atMost: number): Buffer {
    const piece = this.#left.subarray(0, atMost)
    this.#left = this.#left.subarray(piece.length)
    return piece
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#pieces.next()
    this.#left = done ? this.#left : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    return !done
  }
}
