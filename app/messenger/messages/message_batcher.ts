import pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import type { Arrival } from '#messenger/mailboxes/arrivals'
import { keyOf } from '#messenger/mailboxes/party'
import { MailboxFull, SenderFull } from './errors.js'
import {
  recountSender,
  RefusedSenders,
  reservationsOf,
  SenderAllowances,
} from './sender_allowances.js'
import { storeMessages, type NewMessage, type MessageQuotas } from './store_messages.js'

/** The maximum number of concurrent statements. While one waits for the disk, messages queue for the next. */
const MAX_CONCURRENT = 2
/** The limits of one statement. A larger message is stored alone. */
const MAX_BATCH = { messages: 100, copies: 1_000, bytes: 2 ** 20 }

interface QueuedMessage {
  readonly message: NewMessage
  resolve(arrivals: readonly Arrival[]): void
  reject(error: unknown): void
}

interface MessageBatcherOptions extends MessageQuotas {
  readonly pool: DatabasePool
}

/**
 * Stores the messages of this process in batches: those that arrive while a statement runs share the next one, and
 * with it the wait for the disk. An error of one message does not fail the others.
 */
export class MessageBatcher {
  readonly #options: MessageBatcherOptions
  readonly #allowances: SenderAllowances
  readonly #refused = new RefusedSenders()
  #queue: QueuedMessage[] = []
  #running = 0

  constructor(options: MessageBatcherOptions) {
    this.#options = options
    this.#allowances = new SenderAllowances(options)
  }

  /**
   * Resolves after the commit with an arrival for each mailbox; with none if the idempotency key was used before.
   */
  store(message: NewMessage): Promise<readonly Arrival[]> {
    if (this.#refused.has(message.sender)) {
      return Promise.reject(new SenderFull())
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ message, resolve, reject })
      if (this.#queue.length === 1 && this.#running < MAX_CONCURRENT) {
        setImmediate(() => this.#startNext())
      }
    })
  }

  #startNext(): void {
    if (this.#queue.length === 0 || this.#running >= MAX_CONCURRENT) {
      return
    }
    const count = batchLength(this.#queue)
    const batch = this.#queue.slice(0, count)
    this.#queue = this.#queue.slice(count)
    this.#running += 1
    void this.#settleBatch(batch).finally(() => {
      this.#running -= 1
      this.#startNext()
    })
    this.#startNext()
  }

  async #settleBatch(batch: readonly QueuedMessage[]): Promise<void> {
    try {
      const arrivals = await this.#storeBatch(batch.map(({ message }) => message))
      batch.forEach(({ resolve }, index) => resolve(arrivals[index]!))
    } catch (error) {
      if (batch.length > 1 && isRefusal(error)) {
        await this.#storeEach(batch)
      } else {
        batch.forEach(({ reject }) => reject(error))
      }
    }
  }

  /** Recounts a sender over its limit before it is rejected. */
  async #storeBatch(messages: readonly NewMessage[]): Promise<Arrival[][]> {
    const { pool } = this.#options
    const allocations = this.#allowances.allocate(messages)
    try {
      const stored = await storeMessages(pool, messages, this.#options, reservationsOf(allocations))
      this.#allowances.settle(allocations, true)
      return stored
    } catch (error) {
      this.#allowances.settle(allocations, false)
      const [{ sender }] = messages as [NewMessage]
      if (messages.length > 1 || !(error instanceof SenderFull)) {
        throw error
      }
      if (await recountSender(pool, sender)) {
        return this.#storeBatch(messages)
      }
      this.#refused.add(sender)
      throw error
    }
  }

  /** A batch is rejected as a whole, so its messages are stored one by one. */
  async #storeEach(batch: readonly QueuedMessage[]): Promise<void> {
    for (const one of batch) {
      await this.#settleBatch([one])
    }
  }
}

/**
 * Whether the statement was certainly rolled back. After a lost connection that is unknown, and nothing may be sent
 * twice.
 */
function isRefusal(error: unknown): boolean {
  const isStatementError = error instanceof pg.DatabaseError && error.severity !== 'FATAL'
  return isStatementError || error instanceof MailboxFull || error instanceof SenderFull
}

/** How many queued messages form the next batch, at least one. A statement may contain a key only once. */
function batchLength(queue: readonly QueuedMessage[]): number {
  const keys = new Set<string>()
  let [copies, bytes] = [0, 0]
  const end = queue.findIndex(({ message }, index) => {
    copies += message.recipients.length
    bytes += message.bytes
    const isKeyRepeated = !addKey(message, keys)
    return (
      index > 0 &&
      (isKeyRepeated ||
        index >= MAX_BATCH.messages ||
        copies > MAX_BATCH.copies ||
        bytes > MAX_BATCH.bytes)
    )
  })
  return end === -1 ? queue.length : end
}

/** Adds the key of a message to a set; false if the set has it already. */
function addKey({ sender, key }: NewMessage, keys: Set<string>): boolean {
  if (key === undefined) {
    return true
  }
  const size = keys.size
  return keys.add(`${keyOf(sender)} ${key}`).size > size
}
