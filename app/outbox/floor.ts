import type { Horizon } from './store.js'

const SAMPLED_EVERY_MS = 1_000

/**
 * Finds positions below which nothing can appear any more. They are given out before their transactions end, so that a lower
 * one may be seen after a higher one; the removed entries below need not be looked through for ever because of that.
 */
export class Floor {
  #known = 0
  #sampledAt = 0
  /** A position that had been given out, and the transactions of which one may still bring a lower one to light. */
  #candidate: { position: number; before?: bigint } | undefined

  get known(): number {
    return this.#known
  }

  isDue(now: number): boolean {
    return now - this.#sampledAt >= SAMPLED_EVERY_MS
  }

  sample({ position, oldest, next }: Horizon, now: number): void {
    this.#sampledAt = now
    if (this.#candidate) {
      // Only now: a transaction that had taken the position but not begun to write has begun since.
      this.#candidate.before ??= next
      if (oldest < this.#candidate.before) {
        return
      }
      this.#known = this.#candidate.position
    }
    this.#candidate = { position }
  }
}
