import type pg from 'pg'

import type { BackoffPolicy } from '#kernel/backoff'
import { KeyedMutex } from '#kernel/keyed_mutex'
import { inTransaction } from '#records/transaction'
import { AttemptCounter } from './attempt_counter.js'
import type { BusLogger } from './bus.js'
import type { Consumer, Handler } from './consumer.js'
import { AttemptsExhausted, DeliveryAbandoned, MalformedMessage } from './errors.js'
import { Inbox } from './inbox.js'
import { isInfrastructureFailure } from './infrastructure_failure.js'
import type { DeliveredMessage, MessageReceiver } from './message_receiver.js'
import { busMetrics, type Outcome } from './metrics.js'

export interface RetryPolicy extends BackoffPolicy {
  /** Failed attempts before a message becomes a dead letter. */
  readonly attempts: number
}

/** About 30 s from the first to the last attempt. */
const DEFAULT_RETRY: RetryPolicy = { attempts: 8, firstMs: 250, longestMs: 30_000 }

/** A message that was lost with its process more often is handled alone. */
const MAX_LOST_ATTEMPTS = 2

export interface BatchMember extends DeliveredMessage {
  readonly handler: Handler
  /** What the handler read, if it has read the message before its turn. */
  readonly content?: unknown
  readonly settled: PromiseWithResolvers<Outcome>
}

type Batch = readonly BatchMember[]

interface BatchRunnerOptions {
  readonly consumer: Consumer
  readonly pool: pg.Pool
  readonly receiver: MessageReceiver
  readonly logger: Pick<BusLogger, 'warn'>
  readonly retry?: RetryPolicy
}

/**
 * Handles batches of messages. A batch that fails is halved until the failing message is alone; only then its attempts
 * count, and it becomes a dead letter after the last one.
 */
export class BatchRunner {
  readonly #options: BatchRunnerOptions
  readonly #queue: string
  readonly #retry: RetryPolicy
  readonly #inbox: Inbox
  readonly #redeliveredLock = new KeyedMutex()

  constructor(options: BatchRunnerOptions) {
    this.#options = options
    this.#queue = options.consumer.queue
    this.#retry = options.retry ?? DEFAULT_RETRY
    this.#inbox = new Inbox(options.pool, this.#queue)
  }

  /** Settles the members of a batch; outcomes of a batch are not reported before `earlier` ones. Never rejects. */
  handle(batch: Batch, earlier: Promise<void>): Promise<void> {
    const [first] = batch
    return first?.handler.batch.by === 'record' && batch.length === 1
      ? this.handleAlone(first)
      : this.#handleTogether(batch, earlier)
  }

  async #handleTogether(batch: Batch, earlier: Promise<void>): Promise<void> {
    const present = batch.filter(({ delivery }) => !delivery.isLost)
    reject(
      batch.filter(({ delivery }) => delivery.isLost),
      new DeliveryAbandoned()
    )
    try {
      await this.#handleOrHalve(present, await this.#findSuspects(present), earlier)
    } catch (error) {
      reject(present, error)
    }
  }

  async #handleOrHalve(
    batch: Batch,
    suspects: ReadonlySet<string>,
    earlier: Promise<void>
  ): Promise<void> {
    const [first] = batch
    if (!first) {
      return
    }
    const { by } = first.handler.batch
    const isTogether =
      (by === 'type' || batch.length > 1) && !batch.some(({ message }) => suspects.has(message.id))
    if (isTogether && (await this.#settleTogether(batch, earlier))) {
      return
    }
    if (batch.length === 1) {
      const handled = this.handleAlone(first)
      // Its retries may take half a minute; independent messages do not wait for it.
      return by === 'record' ? handled : undefined
    }
    const middle = batch.length >> 1
    await this.#handleOrHalve(batch.slice(0, middle), suspects, earlier)
    await this.#handleOrHalve(batch.slice(middle), suspects, earlier)
  }

  /** Whether the members are settled; if not, the batch failed because of one of them. */
  async #settleTogether(batch: Batch, earlier: Promise<void>): Promise<boolean> {
    try {
      const outcomes = await this.#retryWhileUnavailable(batch, () => this.#attempt(batch))
      await earlier
      batch.forEach(({ settled }, index) => settled.resolve(outcomes[index]!))
      return true
    } catch (error) {
      if (error instanceof DeliveryAbandoned) {
        reject(batch, error)
        return true
      }
      this.#options.logger.warn(
        { err: error, queue: this.#queue, messages: batch.length },
        'a batch of messages failed; handling them in smaller ones'
      )
      return false
    }
  }

  /** Messages that were in flight too often when a process crashed. */
  async #findSuspects(batch: Batch): Promise<ReadonlySet<string>> {
    const redelivered = batch.filter(({ delivery }) => delivery.history !== 'first')
    const ids = redelivered.map(({ message }) => message.id)
    return ids.length > 0
      ? this.#retryWhileUnavailable(batch, () => this.#inbox.countAll(ids, MAX_LOST_ATTEMPTS))
      : new Set()
  }

  /** Messages that are batched by type are not entered into the inbox, unless they are alone. */
  async #attempt(batch: Batch): Promise<readonly Outcome[]> {
    const { handler } = batch[0]!
    const stopTimer = busMetrics.startHandling(this.#queue)
    try {
      return handler.batch.by === 'type'
        ? await this.#writeAll(batch, handler)
        : await this.#writeNew(batch, handler)
    } finally {
      stopTimer()
    }
  }

  async #writeAll(batch: Batch, { write }: Handler): Promise<readonly Outcome[]> {
    const contents = batch.map(({ content }) => content)
    await inTransaction(this.#options.pool, (transaction) => write(transaction, contents))
    return batch.map(() => 'handled')
  }

  async #writeNew(batch: Batch, { read, write }: Handler): Promise<readonly Outcome[]> {
    const contents = await Promise.all(batch.map(({ message }) => read(message)))
    return inTransaction(this.#options.pool, async (transaction) => {
      const ids = batch.map(({ message }) => message.id)
      const isNew = await this.#inbox.settleAll(transaction, ids)
      const newContents = contents.filter((_, index) => isNew[index])
      if (newContents.length > 0) {
        await write(transaction, newContents)
      }
      return isNew.map((isFirst) => (isFirst ? 'handled' : 'repeated'))
    })
  }

  async #attemptOne({ message, handler }: BatchMember): Promise<Outcome> {
    const stopTimer = busMetrics.startHandling(this.#queue)
    try {
      const content = await handler.read(message)
      return await inTransaction(this.#options.pool, async (transaction) => {
        if (!(await this.#inbox.settle(transaction, message.id))) {
          return 'repeated'
        }
        await handler.write(transaction, [content])
        return 'handled'
      })
    } finally {
      stopTimer()
    }
  }

  /** Retries until the message is handled or dead. Never rejects. */
  async handleAlone(member: BatchMember): Promise<void> {
    const { delivery, message, settled } = member
    const counter = new AttemptCounter(this.#inbox, message.id, delivery.history)
    try {
      const outcome = await this.#options.receiver.retry(
        [delivery],
        () => this.#attemptAlone(member, counter),
        (error, failures) => this.#delayAfter(error, failures, member, counter)
      )
      settled.resolve(outcome)
    } catch (error) {
      await this.#deadLetterIfExhausted(member, error).then(settled.resolve, settled.reject)
    }
  }

  /**
   * Makes one attempt. A redelivered message may have crashed its process; such messages run one at a time, so that a
   * crash does not count against others.
   */
  #attemptAlone(member: BatchMember, counter: AttemptCounter): Promise<Outcome> {
    const { delivery } = member
    return delivery.history === 'again'
      ? this.#redeliveredLock.run('one by one', async () => {
          this.#options.receiver.requireActive([delivery])
          return this.#countAndWrite(member, counter)
        })
      : this.#countAndWrite(member, counter)
  }

  async #countAndWrite(member: BatchMember, counter: AttemptCounter): Promise<Outcome> {
    const next = counter.next()
    const count = typeof next === 'number' ? next : await next
    if (count === 'handled') {
      return 'repeated'
    }
    if (count > this.#retry.attempts) {
      const lost = new Error('the process or its connection was lost during the last attempt')
      throw new AttemptsExhausted(lost, count - 1)
    }
    return await this.#attemptOne(member)
  }

  #delayAfter(
    error: unknown,
    failures: number,
    { message: { id, type } }: BatchMember,
    counter: AttemptCounter
  ): number {
    const details = { messageId: id, type }
    if (isInfrastructureFailure(error)) {
      return this.#delayWhileUnavailable(error, failures, details)
    }
    if (error instanceof AttemptsExhausted) {
      throw error
    }
    counter.fail()
    const { attempts } = counter
    if (error instanceof MalformedMessage || attempts >= this.#retry.attempts) {
      throw new AttemptsExhausted(error, attempts)
    }
    busMetrics.failed(this.#queue, 'message')
    return this.#options.receiver.delayAfter(error, Math.max(attempts, 1), details, this.#retry)
  }

  #retryWhileUnavailable<T>(batch: Batch, work: () => Promise<T>): Promise<T> {
    const deliveries = batch.map(({ delivery }) => delivery)
    return this.#options.receiver.retry(deliveries, work, (error, failures) => {
      if (!isInfrastructureFailure(error)) {
        throw error
      }
      return this.#delayWhileUnavailable(error, failures, { messages: batch.length })
    })
  }

  #delayWhileUnavailable(error: unknown, failures: number, details: object): number {
    busMetrics.failed(this.#queue, 'infrastructure')
    return this.#options.receiver.delayAfter(error, failures, details)
  }

  async #deadLetterIfExhausted(
    { delivery, message }: BatchMember,
    error: unknown
  ): Promise<Outcome> {
    if (!(error instanceof AttemptsExhausted)) {
      throw error
    }
    const { consumer, pool, receiver } = this.#options
    const { cause: reason, attempts } = error
    const prepare = () =>
      inTransaction(pool, async (transaction) => {
        await consumer.onDeadLetter?.({ transaction, message, reason })
        // Before the message appears among the dead letters: from then on it may be redriven and start anew.
        await this.#inbox.forget(transaction, message.id)
      })
    await receiver.retry([delivery], prepare, (failure, failures) =>
      receiver.delayAfter(failure, failures)
    )
    return receiver.deadLetter(delivery, reason, attempts)
  }
}

function reject(batch: Batch, error: unknown): void {
  batch.forEach(({ settled }) => settled.reject(error))
}
