/** Short beside the 20 ms in which a wake arrives, long beside the time a transaction takes at full load. */
const REST_MS = 5

/**
 * Passes the first wake of a topic on at once. Those that follow within a moment become one more at its end, so that
 * no change before a wake goes unnoticed.
 */
export class GatheredWakes {
  readonly #pass: (topic: string) => void
  /** Whether another wake was asked for while a topic rests. */
  readonly #resting = new Map<string, boolean>()

  constructor(pass: (topic: string) => void) {
    this.#pass = pass
  }

  wake(topic: string): void {
    if (this.#resting.has(topic)) {
      this.#resting.set(topic, true)
      return
    }
    this.#resting.set(topic, false)
    setTimeout(() => this.#rested(topic), REST_MS).unref()
    this.#pass(topic)
  }

  #rested(topic: string): void {
    const isOwed = this.#resting.get(topic)
    this.#resting.delete(topic)
    if (isOwed) {
      this.wake(topic)
    }
  }
}
