import type { ObjectsPart } from '#backup/manifest'
import type { Fate, ObjectFate } from './object_list.js'

const NAMED_AT_MOST = 100
const SAID_EVERY = 100

/** Counts what becomes of objects, and names some of those that are missed. */
export class Tally {
  readonly #progress: (said: string) => void
  readonly #counts: Record<Fate, number> = { kept: 0, gone: 0, damaged: 0 }
  readonly #named: string[] = []
  #bytes = 0

  constructor(progress: (said: string) => void) {
    this.#progress = progress
  }

  note({ fate, bucketId, hash, size }: ObjectFate): void {
    this.#counts[fate]++
    if (fate === 'kept') {
      this.#bytes += size ?? 0
    } else if (this.#named.length < NAMED_AT_MOST) {
      this.#named.push(`${hash} of bucket ${bucketId} is ${fate}`)
    }
    if (this.#counts.kept % SAID_EVERY === 0) {
      this.#progress(`${this.#counts.kept} objects, ${mebibytes(this.#bytes)} MiB`)
    }
  }

  counts(): Pick<ObjectsPart, 'kept' | 'keptBytes' | 'gone' | 'damaged' | 'named'> {
    return { ...this.#counts, keptBytes: this.#bytes, named: this.#named }
  }
}

export const mebibytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1)
