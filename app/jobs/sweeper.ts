import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { Failure } from '#kernel/failures'
import { untilNext, type Sweep } from './sweep.js'
import { doubledPause } from '#kernel/back_off'
import { clock } from '#kernel/clock'

const RETRY_MS = 10_000

interface SweeperOptions {
  sweeps: readonly Sweep[]
  pool: pg.Pool
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** After how long a sweep that failed is tried again at first; the time doubles until it is the sweep's own. */
  retryMs?: number
}

/**
 * Runs sweeps once at the start and then on their schedules, and sooner where one could not do its work. However many processes do this on one database, each sweep
 * runs in one of them at a time.
 */
export class Sweeper {
  readonly #options: SweeperOptions
  readonly #stopping = new AbortController()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #failures = new Map<string, number>()
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
        this.#schedule(sweep, await this.#run(sweep))
      }
    })
  }

  #schedule(sweep: Sweep, waitMs: number): void {
    if (!this.#stopping.signal.aborted) {
      const timer = setTimeout(() => this.#begin(sweep), waitMs)
      this.#timers.set(sweep.name, timer)
    }
  }

  /** Answers how long it is until its next time. */
  async #run(sweep: Sweep): Promise<number> {
    const { pool, logger } = this.#options
    try {
      const removed = await asLeader(pool, sweep.name, () => sweep.run(this.#stopping.signal))
      if (removed) {
        logger.info({ sweep: sweep.name, removed }, 'sweep removed records')
      }
      this.#failures.delete(sweep.name)
      return untilNext(sweep.schedule, clock.now())
    } catch (error) {
      const waitMs = this.#untilRetry(sweep)
      const level = isAway(error) ? 'warn' : 'error'
      const again = `it is tried again in ${Math.ceil(waitMs / 1_000)} s`
      logger[level]({ err: error, sweep: sweep.name }, `sweep could not do its work; ${again}`)
      return waitMs
    }
  }

  #untilRetry({ name, schedule }: Sweep): number {
    const failures = (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, failures)
    const { retryMs = RETRY_MS } = this.#options
    const longestMs = untilNext(schedule, clock.now())
    return doubledPause(failures, { firstMs: retryMs, longestMs })
  }
}

/** Something that it needs is away for now, or says why it should not be done. */
function isAway(error: unknown): boolean {
  return error instanceof Failure && error.status === 503
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
