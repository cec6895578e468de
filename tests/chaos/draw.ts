const STEP = 0x6d2b79f5
const RANGE = 2 ** 32

/**
 * Numbers as if by chance that are the same for the same seed, so that a run can be repeated.
 */
export class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.#next()
  }

  /** The items in an order of chance. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, rank: this.#next() }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ item }) => item)
  }

  /** At least 0 and below 1, by the generator known as mulberry32. */
  #next(): number {
    this.#state = (this.#state + STEP) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE
  }
}
