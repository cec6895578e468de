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

/** A set is not to be held up, or to fail, for its size. */
const MOST_BYTES = 4 * 1024 * 1024

/** While one set is being written, the next is already on its way, so that neither side waits for the other. */
const SETS_AT_ONCE = 2

/** A message that was lost with its process more often than this is looked at alone. */
const LOST_TOGETHER = 2

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
  /** How long to wait where the database is away. */
  readonly away: BackoffPolicy
  /** Handles a message by itself: one that may be what its set, or its process, failed over. */
  readonly alone: (delivered: DeliveredMessage) => Promise<Outcome>
}

interface BatchMember<Content> extends DeliveredMessage {
  readonly content: Content
  readonly settled: PromiseWithResolvers<Outcome>
}

/**
 * Messages of one type on their way to being handled as one: as many as came while the set before them was written, or within a
 * moment where there was none. A set that fails is halved until the message at fault is alone.
 */
export class MessageBatcher<Content> {
  readonly #options: MessageBatcherOptions<Content>
  #waiting: BatchMember<Content>[] = []
  #bytes = 0
  #sets = 0
  /** Resolves when all that was taken so far has been told of. */
  #told = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(options: MessageBatcherOptions<Content>) {
    this.#options = options
    options.signal.addEventListener('abort', () => this.#abandon(this.#take(Infinity)))
  }

  /** Resolves when the message was handled, with those beside it. */
  add(delivered: DeliveredMessage, content: Content): Promise<Outcome> {
    const settled = Promise.withResolvers<Outcome>()
    this.#waiting.push({ ...delivered, content, settled })
    this.#bytes += delivered.delivery.bytes.length
    this.#proceed()
    return settled.promise
  }

  get #isFull(): boolean {
    return this.#waiting.length >= this.#options.handler.maxBatchSize || this.#bytes >= MOST_BYTES
  }

  #proceed(): void {
    if (this.#isFull && this.#sets < SETS_AT_ONCE) {
      void this.#handleNext()
    } else if (this.#sets === 0) {
      this.#timer ??= setTimeout(() => void this.#handleNext(), this.#options.handler.lingerMs)
    }
  }

  /** Beside another set only full ones are handled; what comes slowly gathers meanwhile. */
  async #handleNext(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sets++
    try {
      while (this.#isFull || (this.#sets === 1 && this.#waiting.length > 0)) {
        await this.#handle(this.#take(this.#options.handler.maxBatchSize))
      }
    } finally {
      this.#sets--
    }
  }

  #take(most: number): BatchMember<Content>[] {
    let taken = 0
    for (
      let bytes = 0;
      taken < Math.min(most, this.#waiting.length) && bytes < MOST_BYTES;
      taken++
    ) {
      bytes += this.#waiting[taken]!.delivery.bytes.length
    }
    const set = this.#waiting.splice(0, taken)
    this.#bytes = this.#waiting.reduce((sum, { delivery }) => sum + delivery.bytes.length, 0)
    return set
  }

  /** What became of a set is told after the sets before it, so that the broker gets one answer to all of it. */
  async #handle(set: BatchMember<Content>[]): Promise<void> {
    const before = this.#told
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#told = promise
    try {
      await this.#handleAfter(before, set)
    } finally {
      resolve()
    }
  }

  async #handleAfter(before: Promise<void>, set: BatchMember<Content>[]): Promise<void> {
    const present = set.filter(({ delivery }) => !delivery.isLost)
    this.#abandon(set.filter(({ delivery }) => delivery.isLost))
    try {
      const suspects = await this.#untilDone(present, () => this.#suspectsAmong(present))
      const isSuspect = ({ message }: DeliveredMessage) => suspects?.has(message.id) ?? false
      present.filter(isSuspect).forEach((each) => this.#leaveAlone(each))
      const innocent = present.filter((each) => !isSuspect(each))
      await this.#write(innocent, before)
    } catch (error) {
      present.forEach(({ settled }) => settled.reject(error))
    }
  }

  /** Those that were under way too often when a process ended. */
  async #suspectsAmong(set: readonly BatchMember<Content>[]): Promise<ReadonlySet<string>> {
    const again = set.filter(({ delivery }) => delivery.history !== 'first')
    if (again.length === 0) {
      return new Set()
    }
    const ids = again.map(({ message }) => message.id)
    return this.#options.inbox.countAll(ids, LOST_TOGETHER)
  }

  async #write(set: BatchMember<Content>[], before: Promise<void>): Promise<void> {
    if (set.length === 0 || this.#options.signal.aborted) {
      this.#abandon(set)
      return
    }
    try {
      const written = await this.#untilDone(set, () => this.#attempt(set))
      if (written) {
        await before
        set.forEach(({ settled }) => settled.resolve('handled'))
      }
    } catch (error) {
      await this.#divide(set, before, error)
    }
  }

  async #attempt(set: readonly BatchMember<Content>[]): Promise<true> {
    const { queue, pool, handler } = this.#options
    const stopTimer = busMetrics.startHandling(queue)
    try {
      const contents = set.map(({ content }) => content)
      await inTransaction(pool, (transaction) => handler.handleBatch(transaction, contents))
      return true
    } finally {
      stopTimer()
    }
  }

  async #divide(set: BatchMember<Content>[], before: Promise<void>, error: unknown): Promise<void> {
    const { queue, logger } = this.#options
    if (set.length === 1) {
      this.#leaveAlone(set[0]!)
      return
    }
    logger.warn({ err: error, queue, messages: set.length }, 'messages could not be handled as one')
    const middle = set.length >> 1
    await this.#write(set.slice(0, middle), before)
    await this.#write(set.slice(middle), before)
  }

  /** It may be tried for half a minute; the others go on meanwhile. */
  #leaveAlone({ delivery, message, settled }: BatchMember<Content>): void {
    this.#options.alone({ delivery, message }).then(settled.resolve, settled.reject)
  }

  /** Repeats what fails because something is away; undefined where the process is to stop before it is back. */
  async #untilDone<T>(
    set: readonly BatchMember<Content>[],
    work: () => Promise<T>
  ): Promise<T | undefined> {
    const { queue, signal, away, logger } = this.#options
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        return await work()
      } catch (error) {
        if (!isInfrastructureFailure(error)) {
          throw error
        }
        busMetrics.failed(queue, 'infrastructure')
        const pauseMs = jitteredBackoff(failures, away)
        const again = `they are tried again in ${Math.ceil(pauseMs)} ms`
        logger.warn(
          { err: error, queue, messages: set.length },
          `messages were not handled; ${again}`
        )
        await sleep(pauseMs, signal)
      }
    }
    this.#abandon(set)
    return undefined
  }

  #abandon(set: readonly BatchMember<Content>[]): void {
    set.forEach(({ settled }) => settled.reject(new DeliveryAbandoned()))
  }
}
