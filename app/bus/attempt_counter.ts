import type { DeliveryHistory } from './bus.js'
import type { Inbox } from './inbox.js'

/**
 * Numbers the attempts to handle one message. The first attempt of a message that was not delivered before, which nearly
 * always is the only one, costs no statement.
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

  /** Attempts known of. */
  get attempts(): number {
    return this.#attempts
  }

  /** Counts the attempt that is about to be made, unless the message was handled meanwhile. */
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

  /** Takes back the latest attempt, which was not the message's fault. */
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
