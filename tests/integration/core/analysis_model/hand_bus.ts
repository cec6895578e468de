import type { Bus, DeadLetterCause, Delivery, Subscription } from '#bus/bus'
import { writeMessage, type Message } from '#bus/message'

type Take = (delivery: Delivery) => Promise<void>

/** A bus that delivers what a test hands it, when the test does: late, again, or in another order. */
export class HandBus implements Bus {
  readonly isReady = true
  readonly #takers = new Map<string, Take>()

  async subscribe({ queue }: Subscription, take: Take) {
    this.#takers.set(queue, take)
    return { stop: async () => void this.#takers.delete(queue) }
  }

  /** Resolves when a consumer is done with the message; rejects where it gives the message back. */
  async deliver(
    queue: string,
    message: Message,
    history: Delivery['history'] = 'first'
  ): Promise<void> {
    let givenUp: string | undefined
    const bury = async ({ reason }: DeadLetterCause) => void (givenUp = reason)
    const bytes = writeMessage(message)
    await this.#takers.get(queue)!({ bytes, history, isLost: false, deadLetter: bury })
    if (givenUp !== undefined) {
      throw new Error(`A message was given up: ${givenUp}`)
    }
  }

  async publish(): Promise<void> {
    throw new Error('What is published waits in the outbox')
  }

  hasConsumers = async () => true

  async close(): Promise<void> {}
}
