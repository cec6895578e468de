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

/** Enough that a transaction costs little for each, and few enough that nobody waits long for it. */
const MOST_TOGETHER = 500
const MOST_GATHERING_MS = 10

/**
 * Commits what several callers write in one transaction: all that came while the one before it was under way. Each has its answer
 * once that is committed. A set that fails is halved until the item at fault is alone, so that it fails no other.
 */
export class WriteTogether<Item, Result> {
  readonly #pool: pg.Pool
  readonly #write: Write<Item, Result>
  readonly #complete = new AutoResetEvent()
  #waiting: Waiting<Item, Result>[] = []
  #isBusy = false
  /** How many were under way when the last transaction ended, and how long it took. */
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
      await this.#gather()
      const set = this.#waiting.splice(0, MOST_TOGETHER)
      const begun = performance.now()
      await this.#commit(set)
      this.#lastTookMs = performance.now() - begun
      this.#expected = set.length + this.#waiting.length
    }
    this.#isBusy = false
  }

  /**
   * Callers that had their answers often have more to write: they are waited for, but no longer than a transaction takes. Without,
   * as many take turns in two halves, and there are twice as many transactions.
   */
  async #gather(): Promise<void> {
    await nextTurn()
    const withinMs = Math.min(this.#lastTookMs, MOST_GATHERING_MS)
    while (this.#waiting.length < this.#expected && (await this.#complete.wait(withinMs))) {
      // Woken before that many were there: by those that were expected for the transaction before.
    }
  }

  /** While the database is away, halves would fail as well. */
  async #commit(set: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = set.map(({ item }) => item)
      const results = await inTransaction(this.#pool, (transaction) =>
        this.#write(transaction, items)
      )
      set.forEach(({ settled }, index) => settled.resolve(results[index]!))
    } catch (error) {
      if (set.length === 1 || databaseFailure(error)?.status === 503) {
        set.forEach(({ settled }) => settled.reject(error))
      } else {
        const middle = set.length >> 1
        await this.#commit(set.slice(0, middle))
        await this.#commit(set.slice(middle))
      }
    }
  }
}
