import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'

import { SealBroken } from '#node/errors'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'aes-256-gcm'

/** A sealed chunk of a file, and the text in it. */
export const CHUNK_BYTES = 1024 * 1024
export const TEXT_BYTES = CHUNK_BYTES - NONCE_BYTES - TAG_BYTES

const NOTHING = Buffer.alloc(0)

/** A chunk: its nonce, the ciphertext, and its tag. Decryption needs the same additional data. */
export function sealChunk(text: Buffer, key: Buffer, additional: Buffer = NOTHING): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(additional)
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

export function openChunk(chunk: Buffer, key: Buffer, additional: Buffer = NOTHING): Buffer {
  if (chunk.length < NONCE_BYTES + TAG_BYTES) {
    throw new SealBroken('The file ends within a chunk')
  }
  const decipher = createDecipheriv(ALGORITHM, key, chunk.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  }).setAAD(additional)
  decipher.setAuthTag(chunk.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([
      decipher.update(chunk.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ])
  } catch (error) {
    throw new SealBroken(
      'The file was cut, changed, or not sealed by its sender for this node',
      error
    )
  }
}

/** Converts one chunk of a file; the last one may be shorter, or empty. */
export type PieceConversion = (piece: Buffer, index: number, isLast: boolean) => Buffer

/** Splits a stream into chunks of one size and converts each. */
export class Pieces extends Transform {
  readonly #size: number
  readonly #convert: PieceConversion
  #pending: Buffer[] = []
  #pendingBytes = 0
  #count = 0

  constructor(size: number, convert: PieceConversion) {
    super()
    this.#size = size
    this.#convert = convert
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    this.#convertAll(done, false)
  }

  override _flush(done: TransformCallback): void {
    this.#convertAll(done, true)
  }

  /** Whether a chunk is the last one is known when the next one starts, or the stream ends. */
  #convertAll(done: TransformCallback, hasEnded: boolean): void {
    try {
      if (this.#pendingBytes > this.#size) {
        let bytes = Buffer.concat(this.#pending)
        for (; bytes.length > this.#size; bytes = bytes.subarray(this.#size)) {
          this.#push(bytes.subarray(0, this.#size), false)
        }
        this.#pending = [bytes]
        this.#pendingBytes = bytes.length
      }
      if (hasEnded) {
        this.#push(Buffer.concat(this.#pending), true)
      }
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  #push(piece: Buffer, isLast: boolean): void {
    this.push(this.#convert(piece, this.#count, isLast))
    this.#count += 1
  }
}
