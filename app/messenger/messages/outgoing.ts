import pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import type { Arrival } from '#messenger/mailboxes/arrivals'
import { keyOf } from '#messenger/mailboxes/party'
import { MailboxFull, SenderFull } from './errors.js'
import { recountSender, RefusedSenders, reservationsIn, SenderAllowances } from './senders.js'
import { storeMessages, type NewMessage, type WaitingLimits } from './store_messages.js'

/** How many statements are under way at once: while one waits for the disk, what comes in gathers for the next. */
const AT_ONCE = 2
/** What goes into one statement at most; a message that is larger goes alone. */
const MOST = { messages: 100, copies: 1_000, bytes: 2 ** 20 }

interface Waiting {
  readonly message: NewMessage
  resolve(arrivals: readonly Arrival[]): void
  reject(error: unknown): void
}

interface OutgoingOptions extends WaitingLimits {
  readonly pool: DatabasePool
}

/**
 * The messages of this process on their way into the mailboxes. Those that come while others are being stored share a statement, and
 * with it the wait for the disk; what is wrong with one of them is not told to another.
 */
export class Outgoing {
  readonly #options: OutgoingOptions
  readonly #allowances: SenderAllowances
  readonly #refused = new RefusedSenders()
  #waiting: Waiting[] = []
  #underWay = 0

  constructor(options: OutgoingOptions) {
    this.#options = options
    this.#allowances = new SenderAllowances(options)
  }

  /** Answers who got something, once that is kept; nobody, where its key was used before. */
  store(message: NewMessage): Promise<readonly Arrival[]> {
    if (this.#refused.has(message.sender)) {
      return Promise.reject(new SenderFull())
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, resolve, reject })
      if (this.#waiting.length === 1 && this.#underWay < AT_ONCE) {
        setImmediate(() => this.#next())
      }
    })
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#underWay >= AT_ONCE) {
      return
    }
    const count = roomFor(this.#waiting)
    const batch = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    this.#underWay += 1
    void this.#storeAll(batch).finally(() => {
      this.#underWay -= 1
      this.#next()
    })
    this.#next()
  }

  async #storeAll(batch: readonly Waiting[]): Promise<void> {
    try {
      const arrivals = await this.#storeTogether(batch.map(({ message }) => message))
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
  async #storeTogether(messages: readonly NewMessage[]): Promise<Arrival[][]> {
    const { pool } = this.#options
    const taken = this.#allowances.take(messages)
    try {
      const stored = await storeMessages(pool, messages, this.#options, reservationsIn(taken))
      this.#allowances.settle(taken, true)
      return stored
    } catch (error) {
      this.#allowances.settle(taken, false)
      const [{ sender }] = messages as [NewMessage]
      if (messages.length > 1 || !(error instanceof SenderFull)) {
        throw error
      }
      if (await recountSender(pool, sender)) {
        return this.#storeTogether(messages)
      }
      this.#refused.add(sender)
      throw error
    }
  }

  /** One of them was refused, and so all were. */
  async #storeEach(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) {
      await this.#storeAll([one])
    }
  }
}

/** Nothing is kept then; where a connection was lost that is open, and nothing may be sent a second time. */
function isRefusal(error: unknown): boolean {
  const isOver = error instanceof pg.DatabaseError && error.severity !== 'FATAL'
  return isOver || error instanceof MailboxFull || error instanceof SenderFull
}

/** How many of those who wait go together, one at the least. A key is in a statement only once. */
function roomFor(waiting: readonly Waiting[]): number {
  const keys = new Set<string>()
  let [copies, bytes] = [0, 0]
  const end = waiting.findIndex(({ message }, index) => {
    copies += message.recipients.length
    bytes += message.bytes
    const isAgain = !isNew(message, keys)
    return (
      index > 0 && (isAgain || index >= MOST.messages || copies > MOST.copies || bytes > MOST.bytes)
    )
  })
  return end === -1 ? waiting.length : end
}

/** Whether the key of a message, if it has one, is not among some; it is from then on. */
function isNew({ sender, key }: NewMessage, keys: Set<string>): boolean {
  if (key === undefined) {
    return true
  }
  const known = keys.size
  return keys.add(`${keyOf(sender)} ${key}`).size > known
}
