/** What is smaller than this is held as it came: most files are, and a whole part of memory for each would be too much. */
const SMALL_BYTES = 256 * 1024

/**
 * The bytes of a part that is being gathered. They are copied to their place as they come, so that the chunks in which they came
 * need not outlive the moment.
 */
export class GatheredPart {
  #chunks: Uint8Array[] = []
  #whole: Buffer | undefined
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds bytes of a part that will have at most so many. */
  add(bytes: Uint8Array, mostBytes: number): void {
    if (this.#whole === undefined && this.#length + bytes.length > SMALL_BYTES) {
      this.#whole = this.#copied(Buffer.allocUnsafeSlow(mostBytes))
    }
    if (this.#whole) this.#whole.set(bytes, this.#length)
    else this.#chunks.push(bytes)
    this.#length += bytes.length
  }

  /** The bytes in one piece; the part is empty after that. */
  take(): Buffer {
    const bytes = this.#whole?.subarray(0, this.#length) ?? Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#whole = undefined
    this.#length = 0
    return bytes
  }

  #copied(whole: Buffer): Buffer {
    let at = 0
    for (const chunk of this.#chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    this.#chunks = []
    return whole
  }
}
