import { setTimeout as delay } from 'node:timers/promises'

/** Collects acknowledgements of a set of listeners. */
export class Acknowledgements {
  readonly #received = new Set<number>()
  readonly #isComplete = Promise.withResolvers<true>()
  #expected: readonly number[] | undefined

  /** Sets the current listeners. Listeners that have left are no longer waited for. */
  expect(listeners: readonly number[]): void {
    this.#expected = listeners
    this.#check()
  }

  add(listener: number): void {
    this.#received.add(listener)
    this.#check()
  }

  async areCompleteWithin(milliseconds: number): Promise<boolean> {
    const late = new AbortController()
    const isLate = delay(milliseconds, false, { ref: false, signal: late.signal })
    try {
      return await Promise.race([this.#isComplete.promise, isLate])
    } finally {
      isLate.catch(() => {})
      late.abort()
    }
  }

  #check(): void {
    if (this.#expected?.every((listener) => this.#received.has(listener))) {
      this.#isComplete.resolve(true)
    }
  }
}
