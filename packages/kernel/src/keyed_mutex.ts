/** Serializes work per key, in the order of the calls. Work of different keys runs concurrently. */
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
