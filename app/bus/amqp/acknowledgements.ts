import type { Channel, ConsumeMessage } from 'amqplib'

/**
 * Tells the broker which deliveries of a channel are done with. Those that end together are told of as one, as far as all before
 * them have ended too.
 */
export class Acknowledgements {
  readonly #channel: Channel
  /** Deliveries by their tags, which only grow: undefined while they are under way. */
  readonly #deliveries = new Map<number, ConsumeMessage | undefined>()
  readonly #acknowledged: number[] = []
  #isLost = false

  constructor(channel: Channel) {
    this.#channel = channel
    channel.once('close', () => (this.#isLost = true))
  }

  /** The broker delivers everything of a lost channel again, and takes no answer to it. */
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

  /** Gives one back, to be delivered again. */
  requeue(message: ConsumeMessage): void {
    this.#deliveries.delete(message.fields.deliveryTag)
    this.#send(() => this.#channel.nack(message, false, true))
  }

  /** Happens by itself in a moment; called before the channel is closed. */
  flush(): void {
    const acknowledge = this.#acknowledged.splice(0)
    this.#send(() => {
      this.#ackFirst()
      acknowledge.forEach((tag) => this.#ackOne(tag))
    })
  }

  /** All up to the first one that is still under way. */
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

  /** A channel that is about to close takes no answers either, and what was not answered comes again. */
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
