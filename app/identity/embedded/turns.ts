import { ServiceUnavailable } from '#http/failures'

const WAITING_AT_MOST = 500

/**
 * Lets only so many pieces of work run at once. Others wait in order; once too many wait, the next is turned away.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.#turn()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) {
        next()
      } else {
        this.#free++
      }
    }
  }

  async #turn(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    if (this.#waiting.length >= WAITING_AT_MOST) {
      throw new ServiceUnavailable('Too many people sign in at once; try again shortly')
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
