interface TimerWheelOptions {
  readonly roundMs: number
  /** Into so many parts a round is divided, so that not everything happens at once. */
  readonly slots: number
}

/**
 * One timer for something that is done again and again, at the same interval, with each of many. It runs while there are any.
 */
export class TimerWheel<Item> {
  readonly #slots: readonly Set<Item>[]
  readonly #slotMs: number
  readonly #act: (item: Item) => void
  #timer: NodeJS.Timeout | undefined
  #size = 0
  #current = 0

  constructor({ roundMs, slots }: TimerWheelOptions, act: (item: Item) => void) {
    this.#slotMs = roundMs / slots
    this.#slots = Array.from({ length: slots }, () => new Set())
    this.#act = act
  }

  get size(): number {
    return this.#size
  }

  /** It is an item's turn a round from now, and once in each further one, until it is removed. Nothing is added twice. */
  add(item: Item): void {
    this.#slots[this.#current]!.add(item)
    this.#size += 1
    this.#timer ??= setInterval(() => this.#tick(), this.#slotMs).unref()
  }

  remove(item: Item): void {
    if (this.#slots.some((slot) => slot.delete(item))) {
      this.#size -= 1
      this.#stopIfEmpty()
    }
  }

  #tick(): void {
    this.#current = (this.#current + 1) % this.#slots.length
    this.#slots[this.#current]!.forEach((item) => this.#act(item))
  }

  #stopIfEmpty(): void {
    if (this.#size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}
