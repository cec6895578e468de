import { hash } from 'node:crypto'

import { releaseChunk } from '#kernel/chunk_memory'

/** Files up to this size are taken into memory whole, where there is room, so that the next one can be read meanwhile. */
const GATHERED_AT_MOST = 256 * 1024

/** The memory of a process for files that were gathered, over all uploads. */
export class GatheringRoom {
  #free: number

  constructor(bytes: number) {
    this.#free = bytes
  }

  tryTake(bytes: number): boolean {
    if (bytes > this.#free) {
      return false
    }
    this.#free -= bytes
    return true
  }

  give(bytes: number): void {
    this.#free += bytes
  }
}

/** A file that was read from a client as a whole, or as far as there was room for it. */
export class GatheredBytes {
  readonly #room: GatheringRoom
  readonly #source: AsyncIterator<Uint8Array>
  #chunks: Uint8Array[] = []
  #taken = 0
  /** What there was no room for. */
  #next: Uint8Array | undefined
  isWhole = false

  private constructor(source: AsyncIterable<Uint8Array>, room: GatheringRoom) {
    this.#source = source[Symbol.asyncIterator]()
    this.#room = room
  }

  /** Reads a file until it ends, or is too large to be gathered, or there is no room: it does not wait for that. */
  static async from(
    source: AsyncIterable<Uint8Array>,
    room: GatheringRoom
  ): Promise<GatheredBytes> {
    const gathered = new GatheredBytes(source, room)
    try {
      await gathered.#gather()
      return gathered
    } catch (error) {
      gathered.free()
      throw error
    }
  }

  /** How many bytes there are of a whole file. */
  get size(): number {
    return this.#taken
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
    this.free()
    yield this.#next!
    for (let step = await this.#source.next(); !step.done; step = await this.#source.next()) {
      yield step.value
    }
  }

  /** Gives the memory back. */
  free(): void {
    this.#room.give(this.#taken)
    this.#taken = 0
    this.#chunks = []
  }

  async #gather(): Promise<void> {
    for (let step = await this.#source.next(); !step.done; step = await this.#source.next()) {
      const { byteLength } = step.value
      const isTooLarge = this.#taken + byteLength > GATHERED_AT_MOST
      if (isTooLarge || !this.#room.tryTake(byteLength)) {
        this.#next = step.value
        return
      }
      this.#taken += byteLength
      this.#chunks.push(step.value)
    }
    this.isWhole = true
    // A copy, so that the chunks can go that it came in, with what else is in them.
    const whole = Buffer.concat(this.#chunks)
    this.#chunks.forEach(releaseChunk)
    this.#chunks = [whole]
  }
}
