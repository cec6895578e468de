import { HubFailure } from './hub_failure.js'

/** Pages of one user that are made at the same time. More than this is no person. */
const MAX_PER_USER = 8

/** Limits the pages that are made for one user at a time, so that nobody takes the place of others. */
export class ConcurrencyLimit {
  readonly #counts = new Map<string, number>()

  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(userId) ?? 0
    if (count >= MAX_PER_USER) {
      throw new HubFailure(429, 'rate_limited', `At most ${MAX_PER_USER} pages at once`)
    }
    this.#counts.set(userId, count + 1)
    try {
      return await work()
    } finally {
      this.#release(userId)
    }
  }

  #release(userId: string): void {
    const rest = (this.#counts.get(userId) ?? 1) - 1
    if (rest > 0) {
      this.#counts.set(userId, rest)
    } else {
      this.#counts.delete(userId)
    }
  }
}
