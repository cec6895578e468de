/** A bounded set of the most recent keys. */
export class RecentKeys {
  readonly #max: number
  readonly #keys = new Set<string>()

  constructor(max: number) {
    this.#max = max
  }

  /** Adds a key; false if the set has it already. */
  add(key: string): boolean {
    if (this.#keys.has(key)) {
      return false
    }
    this.#keys.add(key)
    if (this.#keys.size > this.#max) {
      this.#keys.delete(this.#keys.values().next().value!)
    }
    return true
  }
}
