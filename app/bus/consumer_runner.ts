import type pg from 'pg'

import { BatchQueue } from './batch_queue.js'
import { BatchRunner, type BatchMember, type RetryPolicy } from './batch_runner.js'
import type { Bus, BusLogger } from './bus.js'
import type { Consumer, Handler } from './consumer.js'
import { MalformedMessage } from './errors.js'
import type { Message } from './message.js'
import { MessageReceiver, type DeliveredMessage } from './message_receiver.js'
import type { Outcome } from './metrics.js'

export interface ConsumerRunnerOptions {
  readonly bus: Bus
  readonly pool: pg.Pool
  readonly logger: Pick<BusLogger, 'warn' | 'error'>
  readonly retry?: RetryPolicy
}

/**
 * Runs one consumer: handles each message once as far as its database shows, in order per record, retries failures, and
 * moves what keeps failing to the dead letters.
 */
export class ConsumerRunner {
  readonly #consumer: Consumer
  readonly #receiver: MessageReceiver
  readonly #batches: BatchRunner
  /** By record or, for messages that are batched by type, by handler. */
  readonly #queues = new Map<string | Handler, BatchQueue>()
  /** By record, single messages with none before them. They need no queue, which would cost a fifth of their time. */
  readonly #singles = new Map<string, Promise<unknown>>()

  static async start(consumer: Consumer, options: ConsumerRunnerOptions): Promise<ConsumerRunner> {
    const runner = new ConsumerRunner(consumer, options)
    await runner.#receiver.start(
      (message) => runner.#parse(message),
      (delivered, { record, handler }) =>
        handler ? runner.#handle(delivered, record, handler) : Promise.resolve('ignored')
    )
    return runner
  }

  private constructor(consumer: Consumer, options: ConsumerRunnerOptions) {
    const subscription = { ...consumer, database: options.pool }
    this.#consumer = consumer
    this.#receiver = new MessageReceiver({ ...options, subscription })
    this.#batches = new BatchRunner({ ...options, consumer, receiver: this.#receiver })
  }

  /** Waits for running attempts. Messages that wait for their turn or their next attempt are requeued. */
  stop(): Promise<void> {
    return this.#receiver.stop()
  }

  /** The record of a message, and its handler unless it is ignored. */
  #parse(message: Message): { record: string; handler: Handler | undefined } {
    const { handlers, events } = this.#consumer
    const record = this.#consumer.recordOf(message)
    if (typeof record !== 'string') {
      throw new MalformedMessage('it does not name its record')
    }
    const handler = Object.hasOwn(handlers, message.type) ? handlers[message.type] : undefined
    if (!handler && !events) {
      throw new MalformedMessage(`unknown command type ${message.type}`)
    }
    return { record, handler }
  }

  #handle(delivered: DeliveredMessage, record: string, handler: Handler): Promise<Outcome> {
    const { delivery, message } = delivered
    const settled = Promise.withResolvers<Outcome>()
    const member = { delivery, message, handler, settled }
    if (handler.batch.by === 'type') {
      void this.#readAndAdd(member)
    } else if (handler.batch.maxSize > 1 || this.#isBusy(record)) {
      this.#queueOf(record, this.#singles.get(record)).add(member)
    } else {
      const end = () => this.#singles.delete(record)
      this.#singles.set(record, this.#batches.handleAlone(member).then(end))
    }
    return settled.promise
  }

  #isBusy(record: string): boolean {
    return this.#singles.has(record) || this.#queues.has(record)
  }

  /** Messages that are batched by type are read as they arrive; an unreadable message fails no batch. */
  async #readAndAdd({ delivery, message, handler, settled }: BatchMember): Promise<void> {
    try {
      const content: unknown = await handler.read(message)
      this.#queueOf(handler).add({ delivery, message, handler, settled, content })
    } catch {
      await this.#batches.handleAlone({ delivery, message, handler, settled })
    }
  }

  #queueOf(key: string | Handler, earlier?: Promise<unknown>): BatchQueue {
    let queue = this.#queues.get(key)
    if (!queue) {
      queue = new BatchQueue(
        (batch, reported) => this.#batches.handle(batch, reported),
        () => this.#queues.delete(key),
        earlier
      )
      this.#queues.set(key, queue)
    }
    return queue
  }
}
