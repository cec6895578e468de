/** Somebody who is told when something is over. */
export interface EndListener {
  onEnd(): void
}

/**
 * Says once that something is over, and why. For what thousands wait for: an AbortSignal takes several times the memory, and a
 * function for each listener twice as much as a listener that is an object already.
 */
export class EndSignal {
  #hasEnded = false
  #reason: unknown
  #listeners: readonly EndListener[] = []

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Why; undefined where there is nothing to say about it. */
  get reason(): unknown {
    return this.#reason
  }

  /** Tells somebody at the end, and at once where that is past. */
  addListener(listener: EndListener): void {
    if (this.#hasEnded) {
      listener.onEnd()
    } else {
      // A list that is pushed to, or spread, has room for sixteen more.
      this.#listeners = this.#listeners.concat(listener)
    }
  }

  /** Only the first time counts. */
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
