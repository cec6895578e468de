import type pg from 'pg'

import { inTransaction } from '#records/transaction'
import type { BusLogger } from './bus.js'
import type { OrderedBatchHandler } from './consumer.js'
import type { DeliveredMessage } from './message_batcher.js'
import type { Inbox } from './inbox.js'
import type { KeyedMutex } from '#kernel/keyed_mutex'
import { busMetrics, type Outcome } from './metrics.js'

/** A message that was lost with its process more often than this is looked at alone. */
const MAX_LOST_ATTEMPTS = 2

interface OrderedBatchesOptions {
  readonly queue: string
  readonly pool: pg.Pool
  readonly inbox: Inbox
  readonly logger: Pick<BusLogger, 'warn'>
  readonly signal: AbortSignal
  /** Where messages about a record wait for their turn. */
  readonly locks: KeyedMutex
  /** Handles a message by itself, as often as that takes. */
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
 * Messages of one type about one record that wait for their turn one behind the other: those that came while the ones before them were handled are
 * handled as one, in their order. Where that fails, each is handled by itself.
 */
export class OrderedBatches {
  readonly #options: OrderedBatchesOptions
  /** The last of each record, which others can join until its turn comes. */
  readonly #open = new Map<string, OrderedBatch>()

  constructor(options: OrderedBatchesOptions) {
    this.#options = options
  }

  /** Resolves when the message was handled, alone or with those beside it. */
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

  /** What comes next about the record is another matter. */
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

  /** What became of each; undefined where nothing became of them together. */
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
      logger.warn({ err: error, queue, messages }, 'messages could not be handled as one')
      return undefined
    } finally {
      stopTimer()
    }
  }

  async #attempt(
    { read, handleInOrder: inOrder }: OrderedBatchHandler,
    members: readonly OrderedBatchMember[]
  ): Promise<readonly Outcome[]> {
    const { pool, inbox } = this.#options
    const contents = await Promise.all(members.map(({ message }) => read(message)))
    return inTransaction(pool, async (transaction) => {
      const ids = members.map(({ message }) => message.id)
      const settled = await inbox.settleAll(transaction, ids)
      const isNew = (index: number) =>
        settled.has(ids[index]!) && ids.indexOf(ids[index]!) === index
      await inOrder(
        transaction,
        contents.filter((_, index) => isNew(index))
      )
      return ids.map((_, index) => (isNew(index) ? 'handled' : 'repeated'))
    })
  }

  /** Whether one of them was under way too often when a process ended. */
  async #hasSuspect(members: readonly OrderedBatchMember[]): Promise<boolean> {
    const redelivered = members.filter(({ delivery }) => delivery.history !== 'first')
    const ids = redelivered.map(({ message }) => message.id)
    const suspects =
      ids.length > 0 ? await this.#options.inbox.countAll(ids, MAX_LOST_ATTEMPTS) : new Set()
    return suspects.size > 0
  }
}
