/**
 * Runs work of one lane in the order it was handed in, one after the other; lanes run beside each other.
 */
export class Lanes {
  readonly #tails = new Map<string, Promise<unknown>>()

  async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(lane)
    const result = before ? before.then(work) : work()
    const tail = result.catch(() => {})
    this.#tails.set(lane, tail)
    try {
      return await result
    } finally {
      if (this.#tails.get(lane) === tail) {
        this.#tails.delete(lane)
      }
    }
  }
}
