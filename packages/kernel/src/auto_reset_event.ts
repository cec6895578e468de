/** Wakes one waiter. An event that is set without a waiter wakes the next one at once. */
export class AutoResetEvent {
  #wasSet = false
  #end: ((wasSet: boolean) => void) | undefined

  set(): void {
    if (this.#end) {
      this.#end(true)
    } else {
      this.#wasSet = true
    }
  }

  /** Resolves when the event is set or the timeout has passed; returns whether it was set. */
  wait(milliseconds: number): Promise<boolean> {
    if (this.#wasSet) {
      this.#wasSet = false
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end?.(false), milliseconds)
      this.#end = (wasSet) => {
        clearTimeout(timer)
        this.#end = undefined
        resolve(wasSet)
      }
    })
  }
}
