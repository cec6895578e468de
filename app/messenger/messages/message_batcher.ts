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

/** How many statements are under way at once: while one waits for the disk, what comes in gathers for the next. */
const MAX_CONCURRENT = 2
/** What goes into one statement at most; a message that is larger goes alone. */
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
 * The messages of this process on their way into the mailboxes. Those that come while others are being stored share a statement, and
 * with it the wait for the disk; what is wrong with one of them is not told to another.
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

  /** Answers who got something, once that is kept; nobody, where its key was used before. */
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

  /** A sender for whom there seems to be no room is counted anew first. */
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

  /** One of them was refused, and so all were. */
  async #storeEach(batch: readonly QueuedMessage[]): Promise<void> {
    for (const one of batch) {
      await this.#settleBatch([one])
    }
  }
}

/** Nothing is kept then; where a connection was lost that is open, and nothing may be sent a second time. */
function isRefusal(error: unknown): boolean {
  const isStatementError = error instanceof pg.DatabaseError && error.severity !== 'FATAL'
  return isStatementError || error instanceof MailboxFull || error instanceof SenderFull
}

/** How many of those who wait go together, one at the least. A key is in a statement only once. */
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

/** Whether the key of a message, if it has one, is not among some; it is from then on. */
function addKey({ sender, key }: NewMessage, keys: Set<string>): boolean {
  if (key === undefined) {
    return true
  }
  const size = keys.size
  return keys.add(`${keyOf(sender)} ${key}`).size > size
}
