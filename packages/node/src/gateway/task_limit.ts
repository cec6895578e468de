/** Limits concurrent tasks. Others wait, in order. */
export class TaskLimit {
  readonly #waiting: (() => void)[] = []
  readonly #mostWaiting: number
  #free: number

  constructor(most: number, mostWaiting = Number.POSITIVE_INFINITY) {
    this.#free = most
    this.#mostWaiting = mostWaiting
  }

  /** Whether the queue of waiting tasks is full. */
  get isFull(): boolean {
    return this.#free === 0 && this.#waiting.length >= this.#mostWaiting
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
