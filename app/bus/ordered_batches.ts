import type pg from 'pg'

import { inTransaction } from '#records/transaction'
import type { BusLogger } from './bus.js'
import type { OrderedBatchHandler } from './consumer.js'
import type { DeliveredMessage } from './message_batcher.js'
import type { Inbox } from './inbox.js'
import type { KeyedMutex } from '#kernel/keyed_mutex'
import { busMetrics, type Outcome } from './metrics.js'

/** A message that was lost with its process more often is handled alone. */
const MAX_LOST_ATTEMPTS = 2

interface OrderedBatchesOptions {
  readonly queue: string
  readonly pool: pg.Pool
  readonly inbox: Inbox
  readonly logger: Pick<BusLogger, 'warn'>
  readonly signal: AbortSignal
  /** Serializes messages per record. */
  readonly locks: KeyedMutex
  /** Handles a single message, with retries. */
  readonly handleSingly: (
    delivered: DeliveredMessage,
    handler: OrderedBatchHandler
  ) => Promise<Outcome>
}

interface OrderedBatchMember extends DeliveredMessage {
  readonly settled: PromiseWithResolvers<Outcome>
}

interface OrderedBatch {
  readonly handler: OrderedBatchHandler
  readonly members: OrderedBatchMember[]
}

/**
 * Batches consecutive messages of one type about one record: those that arrive while earlier ones are handled form the
 * next batch. If a batch fails, its messages are handled one at a time.
 */
export class OrderedBatches {
  readonly #options: OrderedBatchesOptions
  /** The last batch of each record, which accepts messages until its turn comes. */
  readonly #open = new Map<string, OrderedBatch>()

  constructor(options: OrderedBatchesOptions) {
    this.#options = options
  }

  /** Resolves when the message is handled, alone or in a batch. */
  add(record: string, delivered: DeliveredMessage, handler: OrderedBatchHandler): Promise<Outcome> {
    const member = { ...delivered, settled: Promise.withResolvers<Outcome>() }
    const open = this.#open.get(record)
    if (open?.handler === handler && open.members.length < handler.maxBatchSize) {
      open.members.push(member)
    } else {
      this.#start(record, { handler, members: [member] })
    }
    return member.settled.promise
  }

  /** Closes the batch of a record, since a message of another type follows. */
  close(record: string): void {
    this.#open.delete(record)
  }

  #start(record: string, batch: OrderedBatch): void {
    this.#open.set(record, batch)
    void this.#options.locks.run(record, () => {
      if (this.#open.get(record) === batch) {
        this.close(record)
      }
      return this.#handle(batch)
    })
  }

  async #handle({ handler, members }: OrderedBatch): Promise<void> {
    const outcomes = members.length > 1 ? await this.#tryBatch(handler, members) : undefined
    for (const [index, { settled, ...delivered }] of members.entries()) {
      const outcome = outcomes?.[index] ?? this.#options.handleSingly(delivered, handler)
      await Promise.resolve(outcome).then(settled.resolve, settled.reject)
    }
  }

  /** The outcome of each message; undefined if the batch failed or must not run. */
  async #tryBatch(
    handler: OrderedBatchHandler,
    members: readonly OrderedBatchMember[]
  ): Promise<readonly Outcome[] | undefined> {
    const { queue, logger, signal } = this.#options
    if (signal.aborted || members.some(({ delivery }) => delivery.isLost)) {
      return undefined
    }
    const stopTimer = busMetrics.startHandling(queue)
    try {
      return (await this.#hasSuspect(members)) ? undefined : await this.#attempt(handler, members)
    } catch (error) {
      const messages = members.length
      logger.warn(
        { err: error, queue, messages },
        'a batch of messages failed; handling them one at a time'
      )
      return undefined
    } finally {
      stopTimer()
    }
  }

  async #attempt(
    { read, handleInOrder }: OrderedBatchHandler,
    members: readonly OrderedBatchMember[]
  ): Promise<readonly Outcome[]> {
    const { pool, inbox } = this.#options
    const contents = await Promise.all(members.map(({ message }) => read(message)))
    return inTransaction(pool, async (transaction) => {
      const ids = members.map(({ message }) => message.id)
      const settled = await inbox.settleAll(transaction, ids)
      const isNew = (index: number) =>
        settled.has(ids[index]!) && ids.indexOf(ids[index]!) === index
      await handleInOrder(
        transaction,
        contents.filter((_, index) => isNew(index))
      )
      return ids.map((_, index) => (isNew(index) ? 'handled' : 'repeated'))
    })
  }

  /** Whether a message was in flight too often when a process crashed. */
  async #hasSuspect(members: readonly OrderedBatchMember[]): Promise<boolean> {
    const redelivered = members.filter(({ delivery }) => delivery.history !== 'first')
    const ids = redelivered.map(({ message }) => message.id)
    const suspects =
      ids.length > 0 ? await this.#options.inbox.countAll(ids, MAX_LOST_ATTEMPTS) : new Set()
    return suspects.size > 0
  }
}
