import { FairQueue } from '#identity/embedded/fair_queue'

/** Runs work with the same key one after the other, and with different keys concurrently. */
export class OneByOne {
  readonly #lines = new Map<string, { turns: FairQueue; users: number }>()

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { turns: new FairQueue(1, Infinity), users: 0 }
    this.#lines.set(key, line)
    line.users++
    try {
      return await line.turns.run(work)
    } finally {
      line.users--
      if (line.users === 0) {
        this.#lines.delete(key)
      }
    }
  }
}
