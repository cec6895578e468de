import { ServiceUnavailable } from '#kernel/failures'

const MAX_WAITING = 500

/**
 * Lets only so many pieces of work run at once. Others wait in a line for each key, and the lines are served in turn, so that
 * no caller waits behind all that another one wants. Once too many wait, the next one of a long line is turned away.
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
    // Each line has its share of the room, so that one that is full leaves some to the others.
    const lines = Math.max(2, this.#lines.size + (line.length === 0 ? 1 : 0))
    if (line.length >= this.#most / lines || this.#waiting >= 2 * this.#most) {
      throw new ServiceUnavailable('Too many people sign in at once; try again shortly')
    }
    this.#lines.set(key, line)
    this.#waiting++
    await new Promise<void>((resolve) => line.push(resolve))
  }

  /** The first of the line that has waited longest for one of its own. */
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
