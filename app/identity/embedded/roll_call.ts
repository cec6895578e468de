import { setTimeout as delay } from 'node:timers/promises'

/** Who has answered a call, and who has yet to. */
export class RollCall {
  readonly #answered = new Set<number>()
  readonly #isComplete = Promise.withResolvers<true>()
  #expected: readonly number[] | undefined

  /** Those who are there now; an answer of somebody who left is not waited for any more. */
  expect(listeners: readonly number[]): void {
    this.#expected = listeners
    this.#look()
  }

  answered(listener: number): void {
    this.#answered.add(listener)
    this.#look()
  }

  async isAnsweredWithin(milliseconds: number): Promise<boolean> {
    const late = new AbortController()
    const isLate = delay(milliseconds, false, { ref: false, signal: late.signal })
    try {
      return await Promise.race([this.#isComplete.promise, isLate])
    } finally {
      isLate.catch(() => {})
      late.abort()
    }
  }

  #look(): void {
    if (this.#expected?.every((listener) => this.#answered.has(listener))) {
      this.#isComplete.resolve(true)
    }
  }
}
