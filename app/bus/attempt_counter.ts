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
  next(): number | Promise<number | 'handled'> {
    if (this.#isFirst) {
      this.#isFirst = false
      this.#isCounted = true
      this.#attempts = 1
    }
    return this.#isCounted ? this.#attempts : this.#count()
  }

  async #count(): Promise<number | 'handled'> {
    const count = await this.#inbox.count(this.#messageId, this.#attempts + 1)
    if (count !== 'handled') {
      this.#attempts = count
      this.#isCounted = true
    }
    return count
  }

  /** The attempt failed because of the message, so the next one is another. */
  fail(): void {
    this.#isCounted = false
  }
}
