import { Turns } from '#identity/embedded/turns'

/** Does pieces of work one after the other where they are for the same key, and side by side where they are not. */
export class OneByOne {
  readonly #lines = new Map<string, { turns: Turns; users: number }>()

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { turns: new Turns(1, Infinity), users: 0 }
    this.#lines.set(key, line)
    line.users++
    try {
      return await line.turns.take(work)
    } finally {
      line.users--
      if (line.users === 0) {
        this.#lines.delete(key)
      }
    }
  }
}
