import { setTimeout as delay } from 'node:timers/promises'

import type { Channel, ConsumeMessage } from 'amqplib'

import type { BusLogger, DeadLetterCause, Delivery, Subscription } from '#bus/bus'
import { deadQueueOf, EVENT_EXCHANGE } from '#bus/names'
import { Acknowledgements } from './acknowledgements.js'
import type { AmqpConnection } from './connection.js'
import { deadProperties } from './dead_properties.js'
import { QueueDeclaration } from './queue_declaration.js'
import { ReconnectingChannel } from './reconnecting_channel.js'
import type { AmqpPublisher } from './publisher.js'

/** What could not be handled and did not say why is not asked for again at once. */
const REQUEUE_DELAY_MS = 1_000

/** Only for queues of our own: other programs declare the others too, and without arguments. */
export const SINGLE_ACTIVE_CONSUMER = { 'x-single-active-consumer': true }

interface AmqpSubscriptionOptions {
  readonly connection: AmqpConnection
  readonly publisher: AmqpPublisher
  readonly logger: BusLogger
}

/**
 * One consumer of one queue. The queues of events are the platform's own: they outlive their consumers, and of those only
 * one at a time is served, so that the order holds over all processes.
 */
export class AmqpSubscription {
  readonly #subscription: Subscription
  readonly #deliver: (delivery: Delivery) => Promise<void>
  readonly #options: AmqpSubscriptionOptions
  readonly #channel: ReconnectingChannel<Channel>
  readonly #declaration: QueueDeclaration
  readonly #inFlight = new Set<Promise<void>>()
  #acknowledgements: Acknowledgements | undefined
  #isStopping = false

  constructor(
    subscription: Subscription,
    deliver: (delivery: Delivery) => Promise<void>,
    options: AmqpSubscriptionOptions
  ) {
    this.#subscription = subscription
    this.#deliver = deliver
    this.#options = options
    this.#declaration = new QueueDeclaration(subscription.queue, {
      durable: true,
      ...(subscription.events && { arguments: SINGLE_ACTIVE_CONSUMER }),
    })
    this.#channel = new ReconnectingChannel({
      open: () => options.connection.channels.createChannel(),
      prepare: (channel) => this.#consume(channel),
      logger: options.logger,
    })
  }

  get isReady(): boolean {
    return this.#channel.current !== undefined
  }

  /**
   * The consumer is not cancelled first: the broker would give what follows to another process while messages about the
   * same record are still under way here. Closing the channel gives back whatever was not begun, in its order.
   */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#inFlight)
    this.#acknowledgements?.flush()
    await this.#channel.close()
  }

  async #consume(channel: Channel): Promise<void> {
    const { queue, events, prefetch } = this.#subscription
    const acknowledgements = new Acknowledgements(channel)
    this.#acknowledgements = acknowledgements
    await channel.prefetch(prefetch)
    await this.#declaration.declareOn(channel)
    if (events) {
      await channel.assertExchange(EVENT_EXCHANGE, 'topic', { durable: true })
      for (const key of events) {
        await channel.bindQueue(queue, EVENT_EXCHANGE, key)
      }
    }
    await channel.consume(queue, (message) => this.#receive(channel, acknowledgements, message))
  }

  #receive(
    channel: Channel,
    acknowledgements: Acknowledgements,
    message: ConsumeMessage | null
  ): void {
    if (message === null) {
      // The queue was deleted; opening the channel anew declares it again.
      channel.close().catch(() => {})
    } else if (!this.#isStopping) {
      acknowledgements.track(message)
      const settled = this.#settle(acknowledgements, message).finally(() =>
        this.#inFlight.delete(settled)
      )
      this.#inFlight.add(settled)
    }
  }

  async #settle(acknowledgements: Acknowledgements, message: ConsumeMessage): Promise<void> {
    const delivery: Delivery = {
      bytes: message.content,
      history: message.fields.redelivered ? 'again' : 'first',
      get isLost() {
        return acknowledgements.isLost
      },
      deadLetter: (cause) => this.#deadLetter(message, cause),
    }
    try {
      await this.#deliver(delivery)
      acknowledgements.acknowledge(message)
    } catch {
      if (!this.#isStopping && !acknowledgements.isLost) {
        await delay(REQUEUE_DELAY_MS)
        acknowledgements.requeue(message)
      }
    }
  }

  async #deadLetter(
    { content, properties }: ConsumeMessage,
    cause: DeadLetterCause
  ): Promise<void> {
    const { queue } = this.#subscription
    await this.#options.publisher.toQueue(
      deadQueueOf(queue),
      content,
      deadProperties(queue, properties, cause)
    )
  }
}
