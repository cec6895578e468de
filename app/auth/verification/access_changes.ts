import { EVERYBODY } from '#auth/provider'
import { clock } from '#kernel/clock'

/** Beyond so many, all identities are looked at anew. */
const MAX_REMEMBERED = 10_000

/**
 * Who may do something else than before, in the order in which that became known. What was asked at a certain point of it is
 * good as long as none of those it is about comes later.
 */
export class AccessChanges {
  #count = 0
  #everybody = 0
  #lastAt = Number.NEGATIVE_INFINITY
  readonly #last = new Map<string, number>()

  /** How far it has come. */
  get count(): number {
    return this.#count
  }

  /** When something was noted last (milliseconds since 1970). */
  get lastAt(): number {
    return this.#lastAt
  }

  add(id: string): void {
    this.#lastAt = clock.now()
    this.#count += 1
    if (id === EVERYBODY || this.#last.size >= MAX_REMEMBERED) {
      this.#everybody = this.#count
      this.#last.clear()
    } else {
      this.#last.set(id, this.#count)
    }
  }

  /** Whether one of these ids came after a certain point. */
  hasSince(point: number, ids: readonly string[]): boolean {
    return this.#everybody > point || ids.some((id) => (this.#last.get(id) ?? 0) > point)
  }
}
