export interface EndListener {
  onEnd(): void
}

/**
 * Announces once that something has ended, and why. It replaces AbortSignal where there are thousands: that takes
 * several times the memory, and a listener object half of what a function takes.
 */
export class EndSignal {
  #hasEnded = false
  #reason: unknown
  #listeners: readonly EndListener[] = []

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The reason of the end, if one was given. */
  get reason(): unknown {
    return this.#reason
  }

  /** Calls the listener at the end, or at once if the end has passed. */
  addListener(listener: EndListener): void {
    if (this.#hasEnded) {
      listener.onEnd()
    } else {
      // `concat` allocates the exact size; `push` and spread reserve room for sixteen more elements.
      this.#listeners = this.#listeners.concat(listener)
    }
  }

  /** Only the first call has an effect. */
  end(reason?: unknown): void {
    if (this.#hasEnded) {
      return
    }
    this.#hasEnded = true
    this.#reason = reason
    const listeners = this.#listeners
    this.#listeners = []
    listeners.forEach((listener) => listener.onEnd())
  }
}
