import type { ObjectsPart } from '#backup/manifest'
import type { ObjectOutcome, CopiedObject } from './object_list.js'

const MAX_NAMED = 100
const REPORT_EVERY = 100

/** Counts outcomes and names some of the missing objects. */
export class ObjectTally {
  readonly #progress: (text: string) => void
  readonly #counts: Record<ObjectOutcome, number> = { kept: 0, gone: 0, damaged: 0 }
  readonly #named: string[] = []
  #bytes = 0

  constructor(progress: (text: string) => void) {
    this.#progress = progress
  }

  add({ outcome, bucketId, hash, size }: CopiedObject): void {
    this.#counts[outcome]++
    if (outcome === 'kept') {
      this.#bytes += size ?? 0
    } else if (this.#named.length < MAX_NAMED) {
      this.#named.push(`${hash} of bucket ${bucketId} is ${outcome}`)
    }
    if (this.#counts.kept % REPORT_EVERY === 0) {
      this.#progress(`${this.#counts.kept} objects, ${mebibytes(this.#bytes)} MiB`)
    }
  }

  counts(): Pick<ObjectsPart, 'kept' | 'keptBytes' | 'gone' | 'damaged' | 'named'> {
    return { ...this.#counts, keptBytes: this.#bytes, named: this.#named }
  }
}

const mebibytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1)
