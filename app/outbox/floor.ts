import type { Horizon } from './store.js'

const SAMPLED_EVERY_MS = 1_000

/**
 * Finds positions below which no entry can appear any more. Positions are assigned before their transactions commit, so
 * a lower one may become visible after a higher one. Below the floor the index need not be scanned.
 */
export class Floor {
  #position = 0
  #sampledAt = 0
  /** An assigned position, and the first transaction id that cannot reveal it or a lower one. */
  #candidate: { position: number; before?: bigint } | undefined

  get position(): number {
    return this.#position
  }

  isDue(now: number): boolean {
    return now - this.#sampledAt >= SAMPLED_EVERY_MS
  }

  sample({ position, oldest, next }: Horizon, now: number): void {
    this.#sampledAt = now
    if (next === undefined) {
      this.#candidate = undefined
      return
    }
    if (this.#candidate) {
      // Set on the second sample: a transaction may take a position before it gets an id.
      this.#candidate.before ??= next
      if (oldest < this.#candidate.before) {
        return
      }
      this.#position = this.#candidate.position
    }
    this.#candidate = { position }
  }
}
