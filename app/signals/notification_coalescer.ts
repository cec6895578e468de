/** Short beside the 20 ms in which a wake arrives, long beside the time a transaction takes at full load. */
const PAUSE_MS = 5

/**
 * Passes the first wake of a topic on at once. Those that follow within a moment become one more at its end, so that
 * no change before a wake goes unnoticed.
 */
export class NotificationCoalescer {
  readonly #deliver: (topic: string) => void
  /** Whether another wake was asked for while a topic is paused. */
  readonly #paused = new Map<string, boolean>()

  constructor(pass: (topic: string) => void) {
    this.#deliver = pass
  }

  notify(topic: string): void {
    if (this.#paused.has(topic)) {
      this.#paused.set(topic, true)
      return
    }
    this.#paused.set(topic, false)
    setTimeout(() => this.#resume(topic), PAUSE_MS).unref()
    this.#deliver(topic)
  }

  #resume(topic: string): void {
    const isPending = this.#paused.get(topic)
    this.#paused.delete(topic)
    if (isPending) {
      this.notify(topic)
    }
  }
}
