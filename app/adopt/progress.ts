const SAID_EVERY_MS = 5_000

/** Says how far something long is, now and then. */
export class Progress {
  readonly #say: (text: string) => void
  readonly #what: string
  readonly #total: number
  #done = 0
  readonly #begun = performance.now()
  #said = performance.now()

  constructor(say: (text: string) => void, what: string, total: number) {
    this.#say = say
    this.#what = what
    this.#total = total
    say(`${what}: ${total}`)
  }

  add(count: number): void {
    this.#done += count
    const now = performance.now()
    if (now - this.#said < SAID_EVERY_MS) {
      return
    }
    this.#said = now
    const rate = Math.round((this.#done / (now - this.#begun)) * 1_000)
    this.#say(`${this.#what}: ${this.#done} of ${this.#total}, ${rate} a second`)
  }
}
