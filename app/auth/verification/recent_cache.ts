/**
 * A cache of two generations: when the young one is full it replaces the old one, whose entries are dropped unless they
 * were read meanwhile. Retains between `size` and twice as many entries. Cheaper than moving an entry to the end of a
 * map on every read.
 */
export class RecentCache<Key, Value> {
  readonly #size: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  constructor(size: number) {
    this.#size = size
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key)
    return value === undefined ? this.#promote(key, this.#old.get(key)) : value
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#size && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  #promote(key: Key, value: Value | undefined): Value | undefined {
    if (value !== undefined) {
      this.set(key, value)
    }
    return value
  }
}
