import type pg from 'pg'

import { inTransaction } from '#records/transaction'
import { AttemptCounter } from './attempt_counter.js'
import { sleep, jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import type { Bus, BusLogger, DeadLetterCause, Delivery } from './bus.js'
import type {
  Completion,
  Consumer,
  BatchHandler,
  Handler,
  ExternalHandler,
  OrderedBatchHandler,
} from './consumer.js'
import { DeliveryAbandoned, AttemptsExhausted, MalformedMessage } from './errors.js'
import { isInfrastructureFailure, errorMessageOf } from './infrastructure_failure.js'
import { MessageBatcher, type DeliveredMessage } from './message_batcher.js'
import { Inbox } from './inbox.js'
import { KeyedMutex } from '#kernel/keyed_mutex'
import { parseMessage, type Message, type Routing } from './message.js'
import { busMetrics, type Outcome } from './metrics.js'
import { OrderedBatches } from './ordered_batches.js'

export interface RetryPolicy extends BackoffPolicy {
  /** Failed attempts before a message becomes a dead letter. */
  readonly attempts: number
}

/** About 30 s from the first to the last attempt. */
const DEFAULT_RETRY: RetryPolicy = { attempts: 8, firstMs: 250, longestMs: 30_000 }

/** Short delays, so that work resumes soon after an outage. */
const UNAVAILABLE_BACKOFF: BackoffPolicy = { firstMs: 100, longestMs: 2_000 }

export interface ConsumerRunnerOptions {
  readonly bus: Bus
  readonly pool: pg.Pool
  readonly logger: Pick<BusLogger, 'warn' | 'error'>
  readonly retry?: RetryPolicy
}

/** A message with its handler. */
interface MessageWithHandler extends DeliveredMessage {
  readonly handler: Handler | ExternalHandler
}

/**
 * Runs one consumer: handles each message once as far as its database shows, in order per record, retries failures, and
 * moves what keeps failing to the dead letters.
 */
export class ConsumerRunner {
  readonly #consumer: Consumer
  readonly #options: ConsumerRunnerOptions
  readonly #retry: RetryPolicy
  readonly #inbox: Inbox
  readonly #recordLocks = new KeyedMutex()
  readonly #redeliveredLock = new KeyedMutex()
  readonly #batchers = new Map<string, MessageBatcher<unknown>>()
  readonly #orderedBatches: OrderedBatches
  readonly #stopping = new AbortController()
  #subscription: { stop(): Promise<void> } | undefined

  static async start(consumer: Consumer, options: ConsumerRunnerOptions): Promise<ConsumerRunner> {
    const runner = new ConsumerRunner(consumer, options)
    runner.#subscription = await options.bus.subscribe(
      { ...consumer, database: options.pool },
      (delivery) => runner.#receive(delivery)
    )
    return runner
  }

  private constructor(consumer: Consumer, options: ConsumerRunnerOptions) {
    this.#consumer = consumer
    this.#options = options
    this.#retry = options.retry ?? DEFAULT_RETRY
    this.#inbox = new Inbox(options.pool, consumer.queue)
    this.#orderedBatches = new OrderedBatches({
      queue: consumer.queue,
      pool: options.pool,
      inbox: this.#inbox,
      logger: options.logger,
      signal: this.#stopping.signal,
      locks: this.#recordLocks,
      handleSingly: (delivered, handler) =>
        this.#handleWithRetries({ ...delivered, handler: toExternalHandler(handler) }),
    })
  }

  /** Waits for running attempts. Messages that wait for their turn or their next attempt are requeued. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#subscription?.stop()
  }

  async #receive(delivery: Delivery): Promise<void> {
    const outcome = await this.#settle(delivery)
    busMetrics.settled(this.#consumer.queue, outcome)
  }

  async #settle(delivery: Delivery): Promise<Outcome> {
    let message: Message
    let record: string
    try {
      message = parseMessage(delivery.bytes, this.#defaultRouting)
      record = this.#recordOf(message)
    } catch (error) {
      await this.#sendToDeadLetters(delivery, {
        reason: `malformed: ${errorMessageOf(error)}`,
        attempts: 0,
      })
      return 'malformed'
    }
    const handler = this.#handlerOf(message)
    if (handler && 'handleBatch' in handler) {
      return this.#addToBatch({ delivery, message }, handler)
    }
    if (handler && 'handleInOrder' in handler) {
      return this.#orderedBatches.add(record, { delivery, message }, handler)
    }
    this.#orderedBatches.close(record)
    return this.#recordLocks.run(record, () => this.#route({ delivery, message }, handler))
  }

  #handlerOf({ type }: Message): Consumer['handlers'][string] | undefined {
    const { handlers } = this.#consumer
    return Object.hasOwn(handlers, type) ? handlers[type] : undefined
  }

  async #addToBatch(delivered: DeliveredMessage, handler: BatchHandler): Promise<Outcome> {
    const single: Handler = async ({ transaction, message }) =>
      handler.handleBatch(transaction, [await handler.read(message)])
    let content: unknown
    try {
      content = await handler.read(delivered.message)
    } catch {
      return this.#handleWithRetries({ ...delivered, handler: single })
    }
    this.#requireActive(delivered.delivery)
    return this.#batcherFor(delivered.message, handler, single).add(delivered, content)
  }

  #batcherFor({ type }: Message, handler: BatchHandler, single: Handler): MessageBatcher<unknown> {
    let batcher = this.#batchers.get(type)
    if (!batcher) {
      batcher = new MessageBatcher({
        queue: this.#consumer.queue,
        handler,
        pool: this.#options.pool,
        inbox: this.#inbox,
        logger: this.#options.logger,
        signal: this.#stopping.signal,
        backoff: UNAVAILABLE_BACKOFF,
        handleSingly: (delivered) => this.#handleWithRetries({ ...delivered, handler: single }),
      })
      this.#batchers.set(type, batcher)
    }
    return batcher
  }

  async #route(
    { delivery, message }: DeliveredMessage,
    handler: Handler | ExternalHandler | undefined
  ): Promise<Outcome> {
    if (handler) {
      return this.#handleWithRetries({ delivery, message, handler })
    }
    if (this.#consumer.events) {
      return 'ignored'
    }
    await this.#sendToDeadLetters(delivery, {
      reason: `malformed: unknown command type ${message.type}`,
      attempts: 0,
    })
    return 'malformed'
  }

  /** Retries until the message is handled or dead. Later messages about the record wait. */
  async #handleWithRetries(subject: MessageWithHandler): Promise<Outcome> {
    const counter = new AttemptCounter(this.#inbox, subject.message.id, subject.delivery.history)
    for (let failures = 1; ; failures++) {
      this.#requireActive(subject.delivery)
      try {
        const attempt = () => this.#attempt(subject, counter)
        return await (subject.delivery.history === 'again'
          ? this.#redeliveredLock.run('one by one', attempt)
          : attempt())
      } catch (error) {
        if (error instanceof AttemptsExhausted) {
          return await this.#deadLetter(subject, error)
        }
        await this.#backOff(subject, counter, error, failures)
      }
    }
  }

  /**
   * Makes one attempt. A redelivered message may have crashed its process; such messages run one at a time, so that a
   * crash does not count against others.
   */
  async #attempt(
    { delivery, message, handler }: MessageWithHandler,
    counter: AttemptCounter
  ): Promise<Outcome> {
    this.#requireActive(delivery)
    const count = await counter.next()
    if (count === 'handled') {
      return 'repeated'
    }
    if (count > this.#retry.attempts) {
      throw new AttemptsExhausted(
        'the process or its connection was lost during the last attempt',
        count - 1
      )
    }
    const stopTimer = busMetrics.startHandling(this.#consumer.queue)
    try {
      const complete = await completionOf(handler, message)
      return await inTransaction(this.#options.pool, async (transaction) => {
        if (!(await this.#inbox.settle(transaction, message.id))) {
          return 'repeated'
        }
        await complete(transaction)
        return 'handled'
      })
    } catch (error) {
      if (
        !isInfrastructureFailure(error) &&
        (error instanceof MalformedMessage || count >= this.#retry.attempts)
      ) {
        throw new AttemptsExhausted(errorMessageOf(error), count, { cause: error })
      }
      throw error
    } finally {
      stopTimer()
    }
  }

  async #backOff(
    subject: MessageWithHandler,
    counter: AttemptCounter,
    error: unknown,
    failures: number
  ) {
    if (error instanceof DeliveryAbandoned) {
      throw error
    }
    const { message } = subject
    const isUnavailable = isInfrastructureFailure(error)
    busMetrics.failed(this.#consumer.queue, isUnavailable ? 'infrastructure' : 'message')
    if (isUnavailable) {
      counter.refund()
    }
    const delayMs = isUnavailable
      ? jitteredBackoff(failures, UNAVAILABLE_BACKOFF)
      : jitteredBackoff(Math.max(counter.attempts, 1), this.#retry)
    this.#options.logger.warn(
      { err: error, queue: this.#consumer.queue, messageId: message.id, type: message.type },
      `a message was not handled; retrying in ${Math.ceil(delayMs)} ms`
    )
    await sleep(delayMs, this.#stopping.signal)
  }

  async #deadLetter(
    { delivery, message }: MessageWithHandler,
    exhausted: AttemptsExhausted
  ): Promise<Outcome> {
    const { attempts, cause } = exhausted
    const isMalformed = cause instanceof MalformedMessage
    const reason = isMalformed ? `malformed: ${exhausted.message}` : exhausted.message
    await this.#retryUntilDone(delivery, () => this.#notifyDeadLetter(message, cause ?? exhausted))
    // Before the message appears among the dead letters: from then on it may be redriven and start anew.
    await this.#retryUntilDone(delivery, () => this.#inbox.forget(message.id))
    await this.#sendToDeadLetters(delivery, { reason, attempts })
    return isMalformed ? 'malformed' : 'dead'
  }

  async #notifyDeadLetter(message: Message, reason: unknown): Promise<void> {
    const { onDeadLetter } = this.#consumer
    if (onDeadLetter) {
      await inTransaction(this.#options.pool, (transaction) =>
        onDeadLetter({ transaction, message, reason })
      )
    }
  }

  /** Messages that were rejected without an attempt are the sender's fault, so they are logged as warnings. */
  async #sendToDeadLetters(delivery: Delivery, cause: DeadLetterCause): Promise<void> {
    await this.#retryUntilDone(delivery, () => delivery.deadLetter(cause))
    this.#options.logger[cause.attempts > 0 ? 'error' : 'warn'](
      { queue: this.#consumer.queue, ...cause },
      'a message was moved to the dead letters; inspect it with bus:dead'
    )
  }

  /** Retries work that fails only during outages. */
  async #retryUntilDone(delivery: Delivery, work: () => Promise<void>): Promise<void> {
    for (let failures = 1; ; failures++) {
      this.#requireActive(delivery)
      try {
        return await work()
      } catch (error) {
        this.#options.logger.warn(
          { err: error, queue: this.#consumer.queue },
          'a dead letter could not be stored; retrying'
        )
        await sleep(jitteredBackoff(failures, UNAVAILABLE_BACKOFF), this.#stopping.signal)
      }
    }
  }

  #requireActive(delivery: Delivery): void {
    if (this.#stopping.signal.aborted || delivery.isLost) {
      throw new DeliveryAbandoned()
    }
  }

  #recordOf(message: Message): string {
    const record = this.#consumer.recordOf(message)
    if (typeof record !== 'string') {
      throw new MalformedMessage('it does not name its record')
    }
    return record
  }

  get #defaultRouting(): Routing {
    const [event] = this.#consumer.events ?? []
    return event === undefined
      ? { type: 'work', key: this.#consumer.queue }
      : { type: 'pubSub', key: event }
  }
}

const toExternalHandler = ({ read, handleInOrder }: OrderedBatchHandler): ExternalHandler => ({
  async execute(message) {
    const content = await read(message)
    return (transaction) => handleInOrder(transaction, [content])
  },
})

async function completionOf(
  handler: Handler | ExternalHandler,
  message: Message
): Promise<Completion> {
  return typeof handler === 'function'
    ? (transaction) => handler({ transaction, message })
    : handler.execute(message)
}
