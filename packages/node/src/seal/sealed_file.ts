import { createCipheriv, createDecipheriv, diffieHellman, randomBytes } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'

import { SealBroken } from '#node/errors'
import type { SealKeys } from './sealed_message.js'

const CHUNK_BYTES = 1024 * 1024
const NONCE_BYTES = 12
const TAG_BYTES = 16
const TEXT_BYTES = CHUNK_BYTES - NONCE_BYTES - TAG_BYTES
const ALGORITHM = 'aes-256-gcm'

/** Encrypts a stream for one recipient. */
export const sealFile = (keys: SealKeys): Transform => sealChunks(diffieHellman(keys))

/** Decrypts a stream that the other side sealed for this one. */
export const openFile = (keys: SealKeys): Transform => openChunks(diffieHellman(keys))

/** Encrypts a stream in chunks of 1 MiB, each with its nonce before and its tag behind the ciphertext. */
export const sealChunks = (key: Buffer): Transform =>
  new Chunks(TEXT_BYTES, (text) => sealChunk(text, key))

export const openChunks = (key: Buffer): Transform =>
  new Chunks(CHUNK_BYTES, (chunk) => openChunk(chunk, key))

function sealChunk(text: Buffer, key: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce)
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

function openChunk(chunk: Buffer, key: Buffer): Buffer {
  if (chunk.length < NONCE_BYTES + TAG_BYTES) {
    throw new SealBroken('The file ends within a chunk')
  }
  const decipher = createDecipheriv(ALGORITHM, key, chunk.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(chunk.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([
      decipher.update(chunk.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ])
  } catch (error) {
    throw new SealBroken('The file was not sealed by its sender for this node', error)
  }
}

/** Cuts a stream into chunks of one size and converts each; the last one may be shorter. */
class Chunks extends Transform {
  readonly #size: number
  readonly #convert: (chunk: Buffer) => Buffer
  #pending = Buffer.alloc(0)

  constructor(size: number, convert: (chunk: Buffer) => Buffer) {
    super()
    this.#size = size
    this.#convert = convert
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#pending = Buffer.concat([this.#pending, bytes])
      while (this.#pending.length >= this.#size) {
        this.push(this.#convert(this.#pending.subarray(0, this.#size)))
        this.#pending = this.#pending.subarray(this.#size)
      }
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      if (this.#pending.length > 0) {
        this.push(this.#convert(this.#pending))
      }
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}
