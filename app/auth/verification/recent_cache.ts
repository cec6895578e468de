/**
 * What was looked at lately, in two generations: a full one takes the place of the older, whose entries are forgotten
 * unless they were asked for meanwhile. Keeps at least `size` entries, at most twice as many. A map that moved each
 * entry to its end on every look would spend most of the time on the gaps an often wanted entry leaves behind.
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
