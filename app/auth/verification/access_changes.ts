import { ALL_IDS } from '#auth/provider'
import { clock } from '#kernel/clock'

/** Beyond this number, all ids count as changed. */
const MAX_REMEMBERED = 10_000

/**
 * Changes of access in the order of their arrival. A verdict is valid until one of its ids changes after the position
 * at which it was requested.
 */
export class AccessChanges {
  #count = 0
  #lastForAll = 0
  #lastAt = Number.NEGATIVE_INFINITY
  readonly #last = new Map<string, number>()

  /** The current position. */
  get count(): number {
    return this.#count
  }

  /** The time of the last change (milliseconds since 1970). */
  get lastAt(): number {
    return this.#lastAt
  }

  add(id: string): void {
    this.#lastAt = clock.now()
    this.#count += 1
    if (id === ALL_IDS || this.#last.size >= MAX_REMEMBERED) {
      this.#lastForAll = this.#count
      this.#last.clear()
    } else {
      this.#last.set(id, this.#count)
    }
  }

  /** Whether one of these ids changed after a position. */
  hasSince(point: number, ids: readonly string[]): boolean {
    return this.#lastForAll > point || ids.some((id) => (this.#last.get(id) ?? 0) > point)
  }
}
