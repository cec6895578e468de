/** Ends a wait. Set while there is no wait, it ends the next one at once. */
export class AutoResetEvent {
  #wasSet = false
  #resolve: (() => void) | undefined

  set(): void {
    this.#wasSet = true
    this.#resolve?.()
  }

  /** Resolves when it is set, or after a while; answers whether it was set. */
  async wait(milliseconds: number): Promise<boolean> {
    if (!this.#wasSet) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        this.#resolve = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#resolve = undefined
    }
    const wasSet = this.#wasSet
    this.#wasSet = false
    return wasSet
  }
}
