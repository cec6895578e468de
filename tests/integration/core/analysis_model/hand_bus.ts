import type { Bus, DeadLetterCause, Delivery, Subscription } from '#bus/bus'
import { serializeMessage, type Message } from '#bus/message'

type Take = (delivery: Delivery) => Promise<void>

/** A bus on which the test delivers each message itself: late, repeatedly, or in another order. */
export class HandBus implements Bus {
  readonly isReady = true
  readonly #takers = new Map<string, Take>()

  async subscribe({ queue }: Subscription, take: Take) {
    this.#takers.set(queue, take)
    return { stop: async () => void this.#takers.delete(queue) }
  }

  /** Resolves when a consumer has acknowledged the message; rejects if it requeues the message. */
  async deliver(
    queue: string,
    message: Message,
    history: Delivery['history'] = 'first'
  ): Promise<void> {
    let rejection: string | undefined
    const bury = async ({ reason }: DeadLetterCause) => void (rejection = reason)
    const bytes = serializeMessage(message)
    await this.#takers.get(queue)!({
      bytes,
      traceparent: undefined,
      history,
      isLost: false,
      deadLetter: bury,
    })
    if (rejection !== undefined) {
      throw new Error(`A message was dead-lettered: ${rejection}`)
    }
  }

  admitWorkers(): void {}

  async publish(): Promise<void> {
    throw new Error('What is published waits in the outbox')
  }

  hasConsumers = async () => true

  async close(): Promise<void> {}
}
