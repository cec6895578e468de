const SMALLEST_BLOCK = 16 * 1024
const LARGEST_BLOCK = 256 * 1024

/**
 * The bytes of a part that is being gathered. They are copied as they come, so that the chunks in which they came need not
 * outlive the moment; into blocks, so that no more memory is taken than there are bytes.
 */
export class GatheredPart {
  #blocks: Buffer[] = []
  #roomInLast = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const block = this.#blockWithRoom()
      const piece = bytes.subarray(at, at + this.#roomInLast)
      block.set(piece, block.length - this.#roomInLast)
      this.#roomInLast -= piece.length
      this.#length += piece.length
      at += piece.length
    }
  }

  /** The bytes in one piece; the part is empty after that. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#blocks, this.#length)
    this.#blocks = []
    this.#roomInLast = 0
    this.#length = 0
    return bytes
  }

  #blockWithRoom(): Buffer {
    if (this.#roomInLast === 0) {
      const size = Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, this.#length))
      this.#blocks.push(Buffer.allocUnsafeSlow(size))
      this.#roomInLast = size
    }
    return this.#blocks.at(-1)!
  }
}
