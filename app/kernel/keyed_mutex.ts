/**
 * Runs work of one lane in the order it was handed in, one after the other; lanes run beside each other.
 */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>()

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key)
    const result = previous ? previous.then(work) : work()
    const tail = result.catch(() => {})
    this.#tails.set(key, tail)
    try {
      return await result
    } finally {
      if (this.#tails.get(key) === tail) {
        this.#tails.delete(key)
      }
    }
  }
}
