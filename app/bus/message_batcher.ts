import type pg from 'pg'

import { sleep, jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import { inTransaction } from '#records/transaction'
import type { BusLogger, Delivery } from './bus.js'
import type { BatchHandler } from './consumer.js'
import { DeliveryAbandoned } from './errors.js'
import { isInfrastructureFailure } from './infrastructure_failure.js'
import type { Inbox } from './inbox.js'
import type { Message } from './message.js'
import { busMetrics, type Outcome } from './metrics.js'

/** Limits the size of a batch in bytes. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024

/** While one batch is written, the next one is already sent. */
const CONCURRENT_BATCHES = 2

/** A message that was lost with its process more often is handled alone. */
const MAX_LOST_ATTEMPTS = 2

/** A delivered message. */
export interface DeliveredMessage {
  readonly delivery: Delivery
  readonly message: Message
}

interface MessageBatcherOptions<Content> {
  readonly queue: string
  readonly handler: BatchHandler<Content>
  readonly pool: pg.Pool
  readonly inbox: Inbox
  readonly logger: Pick<BusLogger, 'warn'>
  readonly signal: AbortSignal
  /** The delay while the database is unavailable. */
  readonly backoff: BackoffPolicy
  /** Handles a single message that may have failed its batch or crashed its process. */
  readonly handleSingly: (delivered: DeliveredMessage) => Promise<Outcome>
}

interface BatchMember<Content> extends DeliveredMessage {
  readonly content: Content
  readonly settled: PromiseWithResolvers<Outcome>
}

/**
 * Batches messages of one type: those that arrive while the previous batch is written, or within the linger time. A
 * failing batch is split until the failing message is alone.
 */
export class MessageBatcher<Content> {
  readonly #options: MessageBatcherOptions<Content>
  #pending: BatchMember<Content>[] = []
  #bytes = 0
  #activeBatches = 0
  /** Resolves when the outcome of all earlier batches is reported. */
  #reported = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(options: MessageBatcherOptions<Content>) {
    this.#options = options
    options.signal.addEventListener('abort', () => this.#reject(this.#take(Infinity)))
  }

  /** Resolves when the message is handled. */
  add(delivered: DeliveredMessage, content: Content): Promise<Outcome> {
    const settled = Promise.withResolvers<Outcome>()
    this.#pending.push({ ...delivered, content, settled })
    this.#bytes += delivered.delivery.bytes.length
    this.#schedule()
    return settled.promise
  }

  get #isFull(): boolean {
    return (
      this.#pending.length >= this.#options.handler.maxBatchSize || this.#bytes >= MAX_BATCH_BYTES
    )
  }

  #schedule(): void {
    if (this.#isFull && this.#activeBatches < CONCURRENT_BATCHES) {
      void this.#handleBatches()
    } else if (this.#activeBatches === 0) {
      this.#timer ??= setTimeout(() => void this.#handleBatches(), this.#options.handler.lingerMs)
    }
  }

  /** While another batch is active, only full batches start; slow arrivals accumulate. */
  async #handleBatches(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#activeBatches++
    try {
      while (this.#isFull || (this.#activeBatches === 1 && this.#pending.length > 0)) {
        await this.#handle(this.#take(this.#options.handler.maxBatchSize))
      }
    } finally {
      this.#activeBatches--
    }
  }

  #take(maxSize: number): BatchMember<Content>[] {
    let count = 0
    for (
      let bytes = 0;
      count < Math.min(maxSize, this.#pending.length) && bytes < MAX_BATCH_BYTES;
      count++
    ) {
      bytes += this.#pending[count]!.delivery.bytes.length
    }
    const batch = this.#pending.splice(0, count)
    this.#bytes = this.#pending.reduce((sum, { delivery }) => sum + delivery.bytes.length, 0)
    return batch
  }

  /** Outcomes are reported in the order of the batches, so that the broker gets one acknowledgement for all of them. */
  async #handle(batch: BatchMember<Content>[]): Promise<void> {
    const before = this.#reported
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#reported = promise
    try {
      await this.#handleAfter(before, batch)
    } finally {
      resolve()
    }
  }

  async #handleAfter(before: Promise<void>, batch: BatchMember<Content>[]): Promise<void> {
    const live = batch.filter(({ delivery }) => !delivery.isLost)
    this.#reject(batch.filter(({ delivery }) => delivery.isLost))
    try {
      const suspects = await this.#retryWhileUnavailable(live, () => this.#suspectsAmong(live))
      const isSuspect = ({ message }: DeliveredMessage) => suspects?.has(message.id) ?? false
      live.filter(isSuspect).forEach((each) => this.#handleSingly(each))
      const others = live.filter((each) => !isSuspect(each))
      await this.#write(others, before)
    } catch (error) {
      live.forEach(({ settled }) => settled.reject(error))
    }
  }

  /** Messages that were in flight too often when a process crashed. */
  async #suspectsAmong(batch: readonly BatchMember<Content>[]): Promise<ReadonlySet<string>> {
    const redelivered = batch.filter(({ delivery }) => delivery.history !== 'first')
    if (redelivered.length === 0) {
      return new Set()
    }
    const ids = redelivered.map(({ message }) => message.id)
    return this.#options.inbox.countAll(ids, MAX_LOST_ATTEMPTS)
  }

  async #write(batch: BatchMember<Content>[], before: Promise<void>): Promise<void> {
    if (batch.length === 0 || this.#options.signal.aborted) {
      this.#reject(batch)
      return
    }
    try {
      const written = await this.#retryWhileUnavailable(batch, () => this.#attempt(batch))
      if (written) {
        await before
        batch.forEach(({ settled }) => settled.resolve('handled'))
      }
    } catch (error) {
      await this.#split(batch, before, error)
    }
  }

  async #attempt(batch: readonly BatchMember<Content>[]): Promise<true> {
    const { queue, pool, handler } = this.#options
    const stopTimer = busMetrics.startHandling(queue)
    try {
      const contents = batch.map(({ content }) => content)
      await inTransaction(pool, (transaction) => handler.handleBatch(transaction, contents))
      return true
    } finally {
      stopTimer()
    }
  }

  async #split(
    batch: BatchMember<Content>[],
    before: Promise<void>,
    error: unknown
  ): Promise<void> {
    const { queue, logger } = this.#options
    if (batch.length === 1) {
      this.#handleSingly(batch[0]!)
      return
    }
    logger.warn(
      { err: error, queue, messages: batch.length },
      'a batch of messages failed; splitting it'
    )
    const middle = batch.length >> 1
    await this.#write(batch.slice(0, middle), before)
    await this.#write(batch.slice(middle), before)
  }

  /** Its retries may take half a minute; the other messages do not wait for it. */
  #handleSingly({ delivery, message, settled }: BatchMember<Content>): void {
    this.#options.handleSingly({ delivery, message }).then(settled.resolve, settled.reject)
  }

  /** Retries during outages; returns undefined if the process stops before. */
  async #retryWhileUnavailable<T>(
    batch: readonly BatchMember<Content>[],
    work: () => Promise<T>
  ): Promise<T | undefined> {
    const { queue, signal, backoff, logger } = this.#options
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        return await work()
      } catch (error) {
        if (!isInfrastructureFailure(error)) {
          throw error
        }
        busMetrics.failed(queue, 'infrastructure')
        const delayMs = jitteredBackoff(failures, backoff)
        const redelivered = `they are tried again in ${Math.ceil(delayMs)} ms`
        logger.warn(
          { err: error, queue, messages: batch.length },
          `messages were not handled; ${redelivered}`
        )
        await sleep(delayMs, signal)
      }
    }
    this.#reject(batch)
    return undefined
  }

  #reject(batch: readonly BatchMember<Content>[]): void {
    batch.forEach(({ settled }) => settled.reject(new DeliveryAbandoned()))
  }
}
