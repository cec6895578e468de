/** Ends somebody's wait. One that rings while nobody waits ends the next wait at once. */
export class Bell {
  #hasRung = false
  #answer: (() => void) | undefined

  ring(): void {
    this.#hasRung = true
    this.#answer?.()
  }

  /** Resolves when it rings, or after a while; answers whether it rang. */
  async wait(milliseconds: number): Promise<boolean> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        this.#answer = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#answer = undefined
    }
    const hasRung = this.#hasRung
    this.#hasRung = false
    return hasRung
  }
}
