import type { DeliveryHistory } from './bus.js'
import type { Inbox } from './inbox.js'

/**
 * Counts the attempts to handle one message. The first attempt of a message that was not redelivered costs no
 * statement.
 */
export class AttemptCounter {
  readonly #inbox: Inbox
  readonly #messageId: string
  #isFirst: boolean
  #isCounted = false
  #attempts: number

  constructor(inbox: Inbox, messageId: string, history: DeliveryHistory) {
    this.#inbox = inbox
    this.#messageId = messageId
    this.#isFirst = history === 'first'
    this.#attempts = history === 'again' ? 1 : 0
  }

  /** The attempts so far. */
  get attempts(): number {
    return this.#attempts
  }

  /** Starts an attempt; counts it, unless the message was handled meanwhile or the attempt before did not fail. */
  async next(): Promise<number | 'handled'> {
    if (!this.#isCounted) {
      const count = this.#isFirst ? 1 : await this.#inbox.count(this.#messageId, this.#attempts + 1)
      if (count === 'handled') {
        return count
      }
      this.#attempts = count
      this.#isFirst = false
      this.#isCounted = true
    }
    return this.#attempts
  }

  /** The attempt failed because of the message, so the next one is another. */
  fail(): void {
    this.#isCounted = false
  }
}
