import { SourceRejected } from './source_errors.js'

export interface Bounds {
  readonly entries: number
  readonly bytes: number
}

/** Protects against archives made to fill the disk. */
export const DEFAULT_BOUNDS: Bounds = { entries: 100_000, bytes: 4 * 1024 ** 3 }

/** Counts entries and bytes, and throws above the limits. */
export class BoundedCounter {
  readonly #bounds: Bounds
  #entries = 0
  #bytes = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  entry(): void {
    this.#entries++
    if (this.#entries > this.#bounds.entries) {
      throw new SourceRejected(`it has more than ${this.#bounds.entries} entries`)
    }
  }

  bytes(length: number): void {
    this.#bytes += length
    if (this.#bytes > this.#bounds.bytes) {
      throw new SourceRejected(`it has more than ${this.#bounds.bytes} bytes`)
    }
  }
}
