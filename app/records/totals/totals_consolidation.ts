import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import type { RunningJob } from '#jobs/running_job'
import { exponentialBackoff } from '#kernel/backoff'
import { consolidateTotals } from './consolidate_totals.js'

/** Pages read one row for each write since the last consolidation. */
const EVERY_MS = 2_000
const LONGEST_PAUSE_MS = 60_000

interface TotalsConsolidationOptions {
  readonly pools: readonly pg.Pool[]
  readonly logger: Pick<Logger, 'warn'>
  readonly everyMs?: number
}

/**
 * Consolidates totals continuously, in one process per database. It does not share the schedule of sweeps, some of
 * which take minutes.
 */
export class TotalsConsolidation implements RunningJob {
  readonly #options: TotalsConsolidationOptions
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
  #failures = 0

  private constructor(options: TotalsConsolidationOptions) {
    this.#options = options
  }

  static start(options: TotalsConsolidationOptions): TotalsConsolidation {
    const job = new TotalsConsolidation(options)
    job.#begin()
    return job
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#turn
  }

  #begin(): void {
    this.#turn = this.#consolidate().then((pauseMs) => {
      if (!this.#stopping.signal.aborted) {
        this.#timer = setTimeout(() => this.#begin(), pauseMs)
      }
    })
  }

  /** Returns the delay until the next run. */
  async #consolidate(): Promise<number> {
    const { pools, logger, everyMs = EVERY_MS } = this.#options
    try {
      for (const pool of pools) {
        await consolidateTotals(pool, this.#stopping.signal)
      }
      this.#failures = 0
      return everyMs
    } catch (error) {
      this.#failures += 1
      logger.warn(
        { err: error },
        'totals could not be added up; they are read from more rows until they are'
      )
      return exponentialBackoff(this.#failures, { firstMs: everyMs, longestMs: LONGEST_PAUSE_MS })
    }
  }
}
