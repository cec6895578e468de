/** Short compared to the delivery time of 20 ms, long compared to a transaction at full load. */
const PAUSE_MS = 5

/**
 * Delivers the first notification of a topic at once. Further ones within a short pause become a single one at its end,
 * so that no change before a notification is missed.
 */
export class NotificationCoalescer {
  readonly #deliver: (topic: string) => void
  /** Whether a topic got another notification during its pause. */
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
