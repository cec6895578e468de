import type { Channel, ConfirmChannel, Message as AmqpMessage, Options } from 'amqplib'

import type { BusLogger } from '#bus/bus'
import { BusUnavailable } from '#bus/errors'
import { serializeMessage, type Message } from '#bus/message'
import { EVENT_EXCHANGE, WORKER_EXCHANGE } from '#bus/names'
import { traceHeaders } from '#tracing/tracing'
import type { AmqpConnection } from './connection.js'
import { isDeclarationMismatch } from './queue_declaration.js'
import { ReconnectingChannel } from './reconnecting_channel.js'

const PUBLISH_LIMIT_MS = 5_000

interface Target {
  readonly exchange: string
  readonly key: string
}

/** Publishes on one channel, which keeps the order of the calls; confirms are awaited concurrently. */
export class AmqpPublisher {
  readonly #connection: AmqpConnection
  readonly #channel: ReconnectingChannel<ConfirmChannel>
  /** A failed declaration closes its channel, so it must not share the one that publishes. */
  readonly #declaring: ReconnectingChannel<Channel>
  /** The exchange that leads to queues: a worker's account may not write to the default one. */
  readonly #toQueues: string
  readonly #declared = new Map<string, Promise<unknown>>()
  /** Ids of returned messages; a return arrives before its confirm. */
  readonly #unroutable = new Set<string>()

  constructor(
    connection: AmqpConnection,
    logger: BusLogger,
    { isLimited = false }: { readonly isLimited?: boolean } = {}
  ) {
    this.#connection = connection
    this.#toQueues = isLimited ? WORKER_EXCHANGE : ''
    this.#channel = new ReconnectingChannel({
      open: () => connection.channels.createConfirmChannel(),
      prepare: (channel) => this.#prepare(channel),
      logger,
    })
    this.#declaring = new ReconnectingChannel({
      open: () => connection.channels.createChannel(),
      prepare: async (channel) => {
        if (!isLimited) {
          await channel.assertExchange(EVENT_EXCHANGE, 'topic', { durable: true })
        }
      },
      logger,
    })
  }

  get isReady(): boolean {
    return Boolean(this.#channel.current && this.#declaring.current) && !this.#connection.isBlocked
  }

  /** Publishes a message to the target of its routing. */
  publish(message: Message): Promise<void> {
    const { type, key } = message.metadata.routing
    const isCommand = type === 'work'
    const properties = {
      type: message.type,
      messageId: message.id,
      persistent: message.metadata.persistent ?? isCommand,
      headers: traceHeaders(),
    }
    const content = serializeMessage(message)
    return isCommand
      ? this.toQueue(key, content, properties)
      : this.#withTimeout((channel) =>
          this.#send(channel, { exchange: EVENT_EXCHANGE, key }, content, properties)
        )
  }

  /** Publishes a message to a queue without arguments, which is declared if it does not exist and the account may. */
  toQueue(queue: string, content: Buffer, properties: Options.Publish): Promise<void> {
    return this.#withTimeout(async (channel) => {
      await (this.#toQueues === '' && this.#declare(queue))
      await this.#send(channel, { exchange: this.#toQueues, key: queue }, content, {
        ...properties,
        mandatory: true,
      })
    })
  }

  async close(): Promise<void> {
    await Promise.all([this.#channel.close(), this.#declaring.close()])
  }

  async #prepare(channel: ConfirmChannel): Promise<void> {
    this.#declared.clear()
    this.#unroutable.clear()
    // RabbitMQ refuses all that a channel sends to a replicated queue if it was first used while the leader was away.
    channel.once('nack', () => void channel.close().catch(() => {}))
    channel.on('return', (message: AmqpMessage) => {
      this.#declared.delete(message.fields.routingKey)
      this.#unroutable.add(message.properties.messageId)
    })
  }

  #declare(queue: string): Promise<unknown> {
    let declared = this.#declared.get(queue)
    if (!declared) {
      declared = this.#assert(queue)
      this.#declared.set(queue, declared)
      declared.catch(() => this.#declared.delete(queue))
    }
    return declared
  }

  async #assert(queue: string): Promise<void> {
    const channel = this.#declaring.current
    if (!channel) {
      throw new BusUnavailable('the broker is not connected')
    }
    try {
      await channel.assertQueue(queue, { durable: true })
    } catch (error) {
      // The queue exists with other arguments.
      if (!isDeclarationMismatch(error)) {
        throw error
      }
    }
  }

  #withTimeout(work: (channel: ConfirmChannel) => Promise<void>): Promise<void> {
    const channel = this.#channel.current
    if (!channel) {
      return Promise.reject(new BusUnavailable('the broker is not connected'))
    }
    if (this.#connection.isBlocked) {
      return Promise.reject(new BusUnavailable('the broker is short of memory or disk'))
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () =>
          reject(
            new BusUnavailable(`the broker confirmed nothing for ${PUBLISH_LIMIT_MS / 1000} s`)
          ),
        PUBLISH_LIMIT_MS
      )
      work(channel)
        .then(resolve, (error: unknown) => reject(toUnavailable(error)))
        .finally(() => clearTimeout(timer))
    })
  }

  #send(
    channel: ConfirmChannel,
    { exchange, key }: Target,
    content: Buffer,
    properties: Options.Publish
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      channel.publish(exchange, key, content, properties, (error) => {
        if (properties.mandatory && this.#unroutable.delete(properties.messageId!)) {
          reject(new BusUnavailable(`there is no queue ${key}`))
        } else if (error) {
          reject(error)
        } else {
          resolve()
        }
      })
    })
  }
}

function toUnavailable(error: unknown): BusUnavailable {
  return error instanceof BusUnavailable
    ? error
    : new BusUnavailable('the broker did not take a message', { cause: error })
}
