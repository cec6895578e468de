/** Lets so many tasks run at once. Others wait, in order. */
export class TaskLimit {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(most: number) {
    this.#free = most
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) {
      this.#free -= 1
    } else {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) {
        next()
      } else {
        this.#free += 1
      }
    }
  }
}
