import { setImmediate as nextTurn } from 'node:timers/promises'

import type pg from 'pg'

import { AutoResetEvent } from '#kernel/auto_reset_event'
import { databaseFailure } from '#kernel/database_failures'
import { inTransaction } from './transaction.js'

/** Writes items within a transaction; answers with one result each, in the same order. */
type Write<Item, Result> = (
  transaction: pg.ClientBase,
  items: readonly Item[]
) => Promise<readonly Result[]>

interface Waiting<Item, Result> {
  readonly item: Item
  readonly settled: PromiseWithResolvers<Result>
}

/** Large enough to amortize the cost of a transaction, small enough that no caller waits long. */
const MAX_GROUP = 500
const MAX_WAIT_MS = 10

/**
 * Commits the writes of concurrent callers in one transaction: those that arrived while the previous one ran. A group
 * that fails is split until the failing item is alone, so that it affects no other.
 */
export class GroupCommit<Item, Result> {
  readonly #pool: pg.Pool
  readonly #write: Write<Item, Result>
  readonly #complete = new AutoResetEvent()
  #waiting: Waiting<Item, Result>[] = []
  #isBusy = false
  /** The number of callers at the end of the last transaction, and its duration. */
  #expected = 1
  #lastTookMs = 0

  constructor(pool: pg.Pool, write: Write<Item, Result>) {
    this.#pool = pool
    this.#write = write
  }

  /** Resolves when the item is committed. */
  add(item: Item): Promise<Result> {
    const settled = Promise.withResolvers<Result>()
    this.#waiting.push({ item, settled })
    if (!this.#isBusy) {
      void this.#commitAll()
    } else if (this.#waiting.length >= this.#expected) {
      this.#complete.set()
    }
    return settled.promise
  }

  async #commitAll(): Promise<void> {
    this.#isBusy = true
    while (this.#waiting.length > 0) {
      await this.#waitForCallers()
      const group = this.#waiting.splice(0, MAX_GROUP)
      const startedAt = performance.now()
      await this.#commit(group)
      this.#lastTookMs = performance.now() - startedAt
      this.#expected = group.length + this.#waiting.length
    }
    this.#isBusy = false
  }

  /**
   * Callers whose write has committed often write again; they are awaited for at most the duration of a transaction.
   * Otherwise two alternating halves would need twice as many transactions.
   */
  async #waitForCallers(): Promise<void> {
    await nextTurn()
    const withinMs = Math.min(this.#lastTookMs, MAX_WAIT_MS)
    while (this.#waiting.length < this.#expected && (await this.#complete.wait(withinMs))) {
      // Woken early by callers expected for the previous transaction.
    }
  }

  /** While the database is unavailable, splitting does not help. */
  async #commit(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = group.map(({ item }) => item)
      const results = await inTransaction(this.#pool, (transaction) =>
        this.#write(transaction, items)
      )
      group.forEach(({ settled }, index) => settled.resolve(results[index]!))
    } catch (error) {
      if (group.length === 1 || databaseFailure(error)?.status === 503) {
        group.forEach(({ settled }) => settled.reject(error))
      } else {
        const middle = group.length >> 1
        await this.#commit(group.slice(0, middle))
        await this.#commit(group.slice(middle))
      }
    }
  }
}
