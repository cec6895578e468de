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

/** Delays the requeue of a failed delivery, to avoid a busy loop. */
const REQUEUE_DELAY_MS = 1_000

/** Only for the platform's own queues: other programs declare the other ones too, without arguments. */
export const SINGLE_ACTIVE_CONSUMER = { 'x-single-active-consumer': true }

interface AmqpSubscriptionOptions {
  readonly connection: AmqpConnection
  readonly publisher: AmqpPublisher
  readonly logger: BusLogger
  /** Whether the account may declare nothing. */
  readonly isLimited?: boolean
}

/**
 * A consumer of one queue. Event queues are the platform's own: they outlive their consumers and have a single active
 * consumer, which preserves the order across processes.
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
   * The consumer is not cancelled first: the broker would deliver following messages to another process while earlier
   * ones of the same record are still in flight here. Closing the channel requeues what was not started, in order.
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
    await (this.#options.isLimited
      ? channel.checkQueue(queue)
      : this.#declaration.declareOn(channel))
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
      // The queue was deleted. Reopening the channel declares it again.
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
      traceparent: traceparentIn(message),
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

function traceparentIn({ properties }: ConsumeMessage): string | undefined {
  const traceparent: unknown = properties.headers?.traceparent
  return typeof traceparent === 'string' ? traceparent : undefined
}
