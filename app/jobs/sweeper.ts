import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { untilNext, type Sweep } from '#jobs/sweep'
import { clock } from '#runtime/clock'

interface SweeperOptions {
  sweeps: readonly Sweep[]
  pool: pg.Pool
  logger: Pick<Logger, 'info' | 'error'>
}

/**
 * Runs sweeps once at the start and then on their schedules. However many processes do this on one database, each sweep
 * runs in one of them at a time.
 */
export class Sweeper {
  readonly #options: SweeperOptions
  readonly #stopping = new AbortController()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #lastTurn: Promise<void> = Promise.resolve()

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  start(): void {
    this.#options.sweeps.forEach((sweep) => this.#begin(sweep))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#timers.forEach((timer) => clearTimeout(timer))
    await this.#lastTurn
  }

  /**
   * Sweeps take turns: each holds a connection for its lock while its work needs another, and several of them could wait
   * for each other's for good.
   */
  #begin(sweep: Sweep): void {
    this.#lastTurn = this.#lastTurn.then(async () => {
      if (!this.#stopping.signal.aborted) {
        await this.#run(sweep)
        this.#schedule(sweep)
      }
    })
  }

  #schedule(sweep: Sweep): void {
    if (!this.#stopping.signal.aborted) {
      const timer = setTimeout(() => this.#begin(sweep), untilNext(sweep.schedule, clock.now()))
      this.#timers.set(sweep.name, timer)
    }
  }

  async #run(sweep: Sweep): Promise<void> {
    const { pool, logger } = this.#options
    try {
      const removed = await asLeader(pool, sweep.name, () => sweep.run(this.#stopping.signal))
      if (removed) {
        logger.info({ sweep: sweep.name, removed }, 'sweep removed records')
      }
    } catch (error) {
      logger.error(
        { err: error, sweep: sweep.name },
        'sweep failed; it is tried again at its next time'
      )
    }
  }
}

/** Does the work where no other process is doing it; the lock goes with the connection, so a killed leader frees it. */
async function asLeader<T>(
  pool: pg.Pool,
  name: string,
  work: () => Promise<T>
): Promise<T | undefined> {
  const client = await pool.connect()
  const key = `sweep:${name}`
  try {
    const { rows } = await client.query<{ leads: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as leads',
      [key]
    )
    if (!rows[0]?.leads) {
      return undefined
    }
    try {
      return await work()
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [key])
    }
  } finally {
    client.release()
  }
}
