import { hash } from 'node:crypto'

import { releaseChunk } from '#kernel/chunk_memory'

/** Files up to this size are taken into memory whole, where there is room, so that the next one can be read meanwhile. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** The memory of a process for files that were gathered, over all uploads. */
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

/** A file that was read from a client as a whole, or as far as there was room for it. */
export class BufferedFile {
  readonly #budget: BufferBudget
  readonly #source: AsyncIterator<Uint8Array>
  #chunks: Uint8Array[] = []
  #bufferedBytes = 0
  /** What there was no room for. */
  #next: Uint8Array | undefined
  isWhole = false

  private constructor(source: AsyncIterable<Uint8Array>, budget: BufferBudget) {
    this.#source = source[Symbol.asyncIterator]()
    this.#budget = budget
  }

  /** Reads a file until it ends, or is too large to be gathered, or there is no room: it does not wait for that. */
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

  /** How many bytes there are of a whole file. */
  get size(): number {
    return this.#bufferedBytes
  }

  /** The SHA-256 of a whole file, in lower-case hexadecimal digits. */
  digest(): string {
    return hash('sha256', this.#chunks[0]!)
  }

  /** What was gathered, then what is still to come. */
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

  /** Gives the memory back. */
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
    // A copy, so that the chunks can go that it came in, with what else is in them.
    const whole = Buffer.concat(this.#chunks)
    this.#chunks.forEach(releaseChunk)
    this.#chunks = [whole]
  }
}
