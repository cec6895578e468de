import { FairQueue } from '#identity/embedded/fair_queue'

/** Does pieces of work one after the other where they are for the same key, and side by side where they are not. */
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
