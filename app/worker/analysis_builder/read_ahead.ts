import type { BlobSource } from '#oci/image_store'
import { singleChunk } from '#oci/single_chunk'
import type { CodeFile } from './code_files.js'

/** Small files are read before their turn comes, so that a thousand of them do not cost a thousand waits. */
const AHEAD = 16
const SMALL_BYTES = 64 * 1024

/** Files that are asked for one by one, in an order that is known. */
export class ReadAhead {
  readonly #order: readonly CodeFile[]
  readonly #places: ReadonlyMap<CodeFile, number>
  readonly #bytesOf: (file: CodeFile) => BlobSource
  readonly #read = new Map<CodeFile, Promise<Uint8Array>>()

  constructor(order: readonly CodeFile[], bytesOf: (file: CodeFile) => BlobSource) {
    this.#order = order
    this.#places = new Map(order.map((file, place) => [file, place]))
    this.#bytesOf = bytesOf
  }

  async open(file: CodeFile): Promise<BlobSource> {
    const place = this.#places.get(file) ?? 0
    const next = this.#order.slice(place, place + AHEAD)
    next.filter(({ size }) => size <= SMALL_BYTES).forEach((small) => this.#begin(small))
    const small = this.#read.get(file)
    this.#read.delete(file)
    return small ? singleChunk(await small) : this.#bytesOf(file)
  }

  #begin(file: CodeFile): void {
    if (!this.#read.has(file)) {
      const reading = whole(this.#bytesOf(file))
      reading.catch(() => {})
      this.#read.set(file, reading)
    }
  }
}

const whole = async (bytes: BlobSource) => Buffer.concat(await Array.fromAsync(bytes))
