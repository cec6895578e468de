interface TimerWheelOptions {
  readonly roundMs: number
  /** Into how many slots a round is divided, to spread the load. */
  readonly slots: number
}

/** Calls a function periodically for each of many items, with a single timer that runs while there are items. */
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

  /** Schedules an item once per round until it is removed. An item may be added only once. */
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
