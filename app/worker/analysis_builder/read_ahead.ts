import type { BlobSource } from '#oci/image_store'
import { singleChunk } from '#oci/single_chunk'
import type { CodeFile } from './code_files.js'

/** Small files are prefetched, so that many of them do not cost one round trip each. */
const FILES_AHEAD = 16
const SMALL_BYTES = 64 * 1024

/** Reads files one by one in a known order. */
export class ReadAhead {
  readonly #order: readonly CodeFile[]
  readonly #positions: ReadonlyMap<CodeFile, number>
  readonly #bytesOf: (file: CodeFile) => BlobSource
  readonly #pending = new Map<CodeFile, Promise<Uint8Array>>()

  constructor(order: readonly CodeFile[], bytesOf: (file: CodeFile) => BlobSource) {
    this.#order = order
    this.#positions = new Map(order.map((file, position) => [file, position]))
    this.#bytesOf = bytesOf
  }

  async open(file: CodeFile): Promise<BlobSource> {
    const position = this.#positions.get(file) ?? 0
    const next = this.#order.slice(position, position + FILES_AHEAD)
    next.filter(({ size }) => size <= SMALL_BYTES).forEach((small) => this.#prefetch(small))
    const small = this.#pending.get(file)
    this.#pending.delete(file)
    return small ? singleChunk(await small) : this.#bytesOf(file)
  }

  #prefetch(file: CodeFile): void {
    if (!this.#pending.has(file)) {
      const reading = readAll(this.#bytesOf(file))
      reading.catch(() => {})
      this.#pending.set(file, reading)
    }
  }
}

const readAll = async (bytes: BlobSource) => Buffer.concat(await Array.fromAsync(bytes))
