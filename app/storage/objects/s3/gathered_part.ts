import { BUFFER_BYTES, partBuffers, type PartBuffers } from './part_buffers.js'

const SMALLEST_BLOCK = 16 * 1024
const LARGEST_BLOCK = 256 * 1024

/** The bytes of a part, for their sender. */
export interface TakenPart {
  readonly bytes: Buffer
  /** The bytes are not read any more. */
  done(): void
  /** They may still be read. */
  leave(): void
}

/**
 * The bytes of a part that is being gathered. They are copied as they come, so that the chunks in which they came need not
 * outlive the moment: into a buffer for the whole part where there is one, else into blocks, so that no more memory is taken than
 * there are bytes.
 */
export class GatheredPart {
  readonly #buffers: PartBuffers
  #whole: Buffer | undefined
  #blocks: Buffer[] = []
  #roomInLast = 0
  #length = 0

  constructor(buffers = partBuffers) {
    this.#buffers = buffers
  }

  get length(): number {
    return this.#length
  }

  /** Adds bytes of a part that will have at most so many. */
  add(bytes: Uint8Array, mostBytes: number): void {
    const outgrowsBlock =
      this.#length <= LARGEST_BLOCK && this.#length + bytes.length > LARGEST_BLOCK
    if (outgrowsBlock && mostBytes <= BUFFER_BYTES) {
      this.#moveIntoWhole()
    }
    if (this.#whole) {
      this.#whole.set(bytes, this.#length)
      this.#length += bytes.length
    } else {
      this.#addToBlocks(bytes)
    }
  }

  /** The bytes in one piece; the part is empty after that. */
  take(): TakenPart {
    const whole = this.#whole
    const bytes = whole?.subarray(0, this.#length) ?? Buffer.concat(this.#blocks, this.#length)
    this.#clear()
    return {
      bytes,
      done: () => whole && this.#buffers.giveBack(whole),
      leave: () => whole && this.#buffers.forget(),
    }
  }

  /** Gives up what was gathered. */
  drop(): void {
    if (this.#whole) {
      this.#buffers.giveBack(this.#whole)
    }
    this.#clear()
  }

  #moveIntoWhole(): void {
    this.#whole = this.#buffers.borrow()
    if (!this.#whole) {
      return
    }
    let at = 0
    for (const block of this.#blocks) {
      at += block.copy(this.#whole, at, 0, this.#length - at)
    }
    this.#blocks = []
    this.#roomInLast = 0
  }

  #addToBlocks(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const block = this.#blockWithRoom()
      const piece = bytes.subarray(at, at + this.#roomInLast)
      block.set(piece, block.length - this.#roomInLast)
      this.#roomInLast -= piece.length
      this.#length += piece.length
      at += piece.length
    }
  }

  #blockWithRoom(): Buffer {
    if (this.#roomInLast === 0) {
      const size = Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, this.#length))
      this.#blocks.push(Buffer.allocUnsafeSlow(size))
      this.#roomInLast = size
    }
    return this.#blocks.at(-1)!
  }

  #clear(): void {
    this.#whole = undefined
    this.#blocks = []
    this.#roomInLast = 0
    this.#length = 0
  }
}
