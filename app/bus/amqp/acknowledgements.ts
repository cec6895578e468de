import type { Channel, ConsumeMessage } from 'amqplib'

/**
 * Acknowledges the deliveries of a channel. Deliveries that are done at the same time are acknowledged together, as far
 * as all earlier ones are done too.
 */
export class Acknowledgements {
  readonly #channel: Channel
  /** Deliveries by tag, in ascending order; undefined until they are done. */
  readonly #deliveries = new Map<number, ConsumeMessage | undefined>()
  readonly #acknowledged: number[] = []
  #isLost = false

  constructor(channel: Channel) {
    this.#channel = channel
    channel.once('close', () => (this.#isLost = true))
  }

  /** The broker redelivers everything of a closed channel and accepts no acknowledgement for it. */
  get isLost(): boolean {
    return this.#isLost
  }

  track({ fields }: ConsumeMessage): void {
    this.#deliveries.set(fields.deliveryTag, undefined)
  }

  acknowledge(message: ConsumeMessage): void {
    const { deliveryTag } = message.fields
    this.#deliveries.set(deliveryTag, message)
    if (this.#acknowledged.push(deliveryTag) === 1) {
      setImmediate(() => this.flush())
    }
  }

  /** Requeues a delivery. */
  requeue(message: ConsumeMessage): void {
    this.#deliveries.delete(message.fields.deliveryTag)
    this.#send(() => this.#channel.nack(message, false, true))
  }

  /** Runs automatically on the next turn; call it before closing the channel. */
  flush(): void {
    const acknowledge = this.#acknowledged.splice(0)
    this.#send(() => {
      this.#ackFirst()
      acknowledge.forEach((tag) => this.#ackOne(tag))
    })
  }

  /** Acknowledges all deliveries up to the first one that is not done. */
  #ackFirst(): void {
    let last: ConsumeMessage | undefined
    for (const [tag, message] of this.#deliveries) {
      if (message === undefined) {
        break
      }
      last = message
      this.#deliveries.delete(tag)
    }
    if (last) {
      this.#channel.ack(last, true)
    }
  }

  #ackOne(tag: number): void {
    const message = this.#deliveries.get(tag)
    if (message) {
      this.#deliveries.delete(tag)
      this.#channel.ack(message)
    }
  }

  /** A closing channel throws; its unacknowledged deliveries are redelivered. */
  #send(action: () => void): void {
    if (this.#isLost) {
      return
    }
    try {
      action()
    } catch {
      this.#isLost = true
    }
  }
}
