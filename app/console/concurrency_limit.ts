import { HubFailure } from './hub_failure.js'

interface Limits {
  readonly perUser: number
  readonly perProcess: number
}

/** Limits what is done for one user at a time, and for all of them, so that nobody takes the place of others. */
export class ConcurrencyLimit {
  readonly #limits: Limits
  readonly #counts = new Map<string, number>()
  #total = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const { perUser, perProcess } = this.#limits
    const count = this.#counts.get(userId) ?? 0
    if (count >= perUser) {
      throw new HubFailure(429, 'rate_limited', `At most ${perUser} of these at once for one user`)
    }
    if (this.#total >= perProcess) {
      throw new HubFailure(429, 'rate_limited', 'Too many of these are open. Try again later')
    }
    this.#total += 1
    this.#counts.set(userId, count + 1)
    try {
      return await work()
    } finally {
      this.#release(userId)
    }
  }

  #release(userId: string): void {
    this.#total -= 1
    const rest = (this.#counts.get(userId) ?? 1) - 1
    if (rest > 0) {
      this.#counts.set(userId, rest)
    } else {
      this.#counts.delete(userId)
    }
  }
}
