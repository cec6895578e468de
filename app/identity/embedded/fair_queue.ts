import { ServiceUnavailable } from '#kernel/failures'

const MAX_WAITING = 500

/**
 * Limits concurrent work. Waiting work queues by key and the keys are served in turn, so that no caller waits for all
 * work of another one. If too much waits, work of long queues is rejected.
 */
export class FairQueue {
  readonly #lines = new Map<string, (() => void)[]>()
  #waiting = 0
  readonly #most: number
  #free: number

  constructor(atOnce: number, waitingAtMost = MAX_WAITING) {
    this.#free = atOnce
    this.#most = waitingAtMost
  }

  async run<T>(work: () => Promise<T>, key = ''): Promise<T> {
    await this.#acquire(key)
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next) {
        next()
      } else {
        this.#free++
      }
    }
  }

  async #acquire(key: string): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    const line = this.#lines.get(key) ?? []
    // Each key has a share of the capacity, so that a full one leaves some to others.
    const lines = Math.max(2, this.#lines.size + (line.length === 0 ? 1 : 0))
    if (line.length >= this.#most / lines || this.#waiting >= 2 * this.#most) {
      throw new ServiceUnavailable('Too many concurrent logins: try again shortly')
    }
    this.#lines.set(key, line)
    this.#waiting++
    await new Promise<void>((resolve) => line.push(resolve))
  }

  /** The first of the key that was not served for the longest time. */
  #next(): (() => void) | undefined {
    const [served] = this.#lines
    if (!served) {
      return undefined
    }
    const [key, line] = served
    this.#waiting--
    const next = line.shift()!
    this.#lines.delete(key)
    if (line.length > 0) {
      this.#lines.set(key, line)
    }
    return next
  }
}
