import { hash } from 'node:crypto'

import { releaseChunk } from '#kernel/chunk_memory'

/** Files up to this size are buffered if there is memory, so that the next one can be read meanwhile. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** The memory of a process for buffered files of all uploads. */
export class BufferBudget {
  #free: number

  constructor(bytes: number) {
    this.#free = bytes
  }

  tryAcquire(bytes: number): boolean {
    if (bytes > this.#free) {
      return false
    }
    this.#free -= bytes
    return true
  }

  release(bytes: number): void {
    this.#free += bytes
  }
}

/** A file that was buffered completely, or as far as memory allowed. */
export class BufferedFile {
  readonly #budget: BufferBudget
  readonly #source: AsyncIterator<Uint8Array>
  #chunks: Uint8Array[] = []
  #bufferedBytes = 0
  /** The first chunk that did not fit. */
  #next: Uint8Array | undefined
  isWhole = false

  private constructor(source: AsyncIterable<Uint8Array>, budget: BufferBudget) {
    this.#source = source[Symbol.asyncIterator]()
    this.#budget = budget
  }

  /** Reads until the file ends, is too large, or memory is short. Does not wait for memory. */
  static async from(
    source: AsyncIterable<Uint8Array>,
    budget: BufferBudget
  ): Promise<BufferedFile> {
    const file = new BufferedFile(source, budget)
    try {
      await file.#fill()
      return file
    } catch (error) {
      file.release()
      throw error
    }
  }

  /** The size of a complete file. */
  get size(): number {
    return this.#bufferedBytes
  }

  /** The SHA-256 of a complete file, in lower-case hexadecimal digits. */
  digest(): string {
    return hash('sha256', this.#chunks[0]!)
  }

  /** The buffered bytes, then the remaining ones. */
  async *all(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#chunks
    if (this.isWhole) {
      return
    }
    this.release()
    yield this.#next!
    for (let step = await this.#source.next(); !step.done; step = await this.#source.next()) {
      yield step.value
    }
  }

  /** Releases the memory. */
  release(): void {
    this.#budget.release(this.#bufferedBytes)
    this.#bufferedBytes = 0
    this.#chunks = []
  }

  async #fill(): Promise<void> {
    for (let step = await this.#source.next(); !step.done; step = await this.#source.next()) {
      const { byteLength } = step.value
      const isTooLarge = this.#bufferedBytes + byteLength > MAX_BUFFERED_BYTES
      if (isTooLarge || !this.#budget.tryAcquire(byteLength)) {
        this.#next = step.value
        return
      }
      this.#bufferedBytes += byteLength
      this.#chunks.push(step.value)
    }
    this.isWhole = true
    // A copy, so that the larger buffers of the chunks can be recycled.
    const whole = Buffer.concat(this.#chunks)
    this.#chunks.forEach(releaseChunk)
    this.#chunks = [whole]
  }
}
