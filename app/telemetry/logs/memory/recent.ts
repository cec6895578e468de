/** The latest so many texts. */
export class Recent {
  readonly #most: number
  readonly #texts = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  /** Answers false for one that is known. */
  add(text: string): boolean {
    if (this.#texts.has(text)) {
      return false
    }
    this.#texts.add(text)
    if (this.#texts.size > this.#most) {
      this.#texts.delete(this.#texts.values().next().value!)
    }
    return true
  }
}
