import { BUFFER_BYTES, type BufferPool } from './buffer_pool.js'

const MIN_BLOCK_BYTES = 16 * 1024
const MAX_BLOCK_BYTES = 256 * 1024

/** The content of a part. */
export interface PartContent {
  readonly bytes: Buffer
  /** Call it when the bytes are no longer read. */
  release(): void
  /** Call it if the bytes may still be read. */
  abandon(): void
}

/**
 * Collects the bytes of a part. Chunks are copied, so that they can be recycled: into a pooled buffer of a whole
 * part if one is free, otherwise into blocks, which take no more memory than needed.
 */
export class BufferedPart {
  readonly #pool: BufferPool
  #buffer: Buffer | undefined
  #blocks: Buffer[] = []
  #freeInLast = 0
  #length = 0

  constructor(pool: BufferPool) {
    this.#pool = pool
  }

  get length(): number {
    return this.#length
  }

  /** Adds bytes of a part with this maximum size. */
  add(bytes: Uint8Array, maxBytes: number): void {
    const outgrowsBlock =
      this.#length <= MAX_BLOCK_BYTES && this.#length + bytes.length > MAX_BLOCK_BYTES
    if (outgrowsBlock && maxBytes <= BUFFER_BYTES) {
      this.#moveIntoBuffer()
    }
    if (this.#buffer) {
      this.#buffer.set(bytes, this.#length)
      this.#length += bytes.length
    } else {
      this.#addToBlocks(bytes)
    }
  }

  /** Takes the content as one buffer; the part is empty after that. */
  take(): PartContent {
    const whole = this.#buffer
    const bytes = whole?.subarray(0, this.#length) ?? Buffer.concat(this.#blocks, this.#length)
    this.#clear()
    return {
      bytes,
      release: () => whole && this.#pool.release(whole),
      abandon: () => whole && this.#pool.discard(),
    }
  }

  /** Discards the content. */
  discard(): void {
    if (this.#buffer) {
      this.#pool.release(this.#buffer)
    }
    this.#clear()
  }

  #moveIntoBuffer(): void {
    this.#buffer = this.#pool.acquire()
    if (!this.#buffer) {
      return
    }
    let at = 0
    for (const block of this.#blocks) {
      at += block.copy(this.#buffer, at, 0, this.#length - at)
    }
    this.#blocks = []
    this.#freeInLast = 0
  }

  #addToBlocks(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const block = this.#blockWithSpace()
      const slice = bytes.subarray(at, at + this.#freeInLast)
      block.set(slice, block.length - this.#freeInLast)
      this.#freeInLast -= slice.length
      this.#length += slice.length
      at += slice.length
    }
  }

  #blockWithSpace(): Buffer {
    if (this.#freeInLast === 0) {
      const size = Math.min(MAX_BLOCK_BYTES, Math.max(MIN_BLOCK_BYTES, this.#length))
      this.#blocks.push(Buffer.allocUnsafeSlow(size))
      this.#freeInLast = size
    }
    return this.#blocks.at(-1)!
  }

  #clear(): void {
    this.#buffer = undefined
    this.#blocks = []
    this.#freeInLast = 0
    this.#length = 0
  }
}
