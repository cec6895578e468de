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
  #isRefunded = false
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

  /** Counts the next attempt, unless the message was handled meanwhile. */
  async next(): Promise<number | 'handled'> {
    this.#isCounted = false
    if (!this.#isRefunded) {
      const count = await this.#count()
      if (count === 'handled') {
        return count
      }
      this.#attempts = count
    }
    this.#isRefunded = false
    this.#isCounted = true
    return this.#attempts
  }

  /** Uncounts the latest attempt, if it failed for a reason unrelated to the message. */
  refund(): void {
    this.#isRefunded ||= this.#isCounted
  }

  async #count(): Promise<number | 'handled'> {
    if (this.#isFirst) {
      this.#isFirst = false
      return 1
    }
    return this.#inbox.count(this.#messageId, this.#attempts + 1)
  }
}
