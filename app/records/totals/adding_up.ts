import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import type { RunningJob } from '#jobs/running_job'
import { doubledPause } from '#kernel/back_off'
import { addUpTotals } from './add_up.js'

/** Pages read what was not added up yet: a row for each write of this time. */
const EVERY_MS = 2_000
const LONGEST_PAUSE_MS = 60_000

interface AddingUpOptions {
  readonly pools: readonly pg.Pool[]
  readonly logger: Pick<Logger, 'warn'>
  readonly everyMs?: number
}

/**
 * Adds up totals all the time, in one process per database. It does not take turns with sweeps, some of which last for minutes.
 */
export class AddingUp implements RunningJob {
  readonly #options: AddingUpOptions
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
  #failures = 0

  private constructor(options: AddingUpOptions) {
    this.#options = options
  }

  static start(options: AddingUpOptions): AddingUp {
    const adding = new AddingUp(options)
    adding.#begin()
    return adding
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#turn
  }

  #begin(): void {
    this.#turn = this.#addUp().then((pauseMs) => {
      if (!this.#stopping.signal.aborted) {
        this.#timer = setTimeout(() => this.#begin(), pauseMs)
      }
    })
  }

  /** Answers how long it is until the next time. */
  async #addUp(): Promise<number> {
    const { pools, logger, everyMs = EVERY_MS } = this.#options
    try {
      for (const pool of pools) {
        await addUpTotals(pool, this.#stopping.signal)
      }
      this.#failures = 0
      return everyMs
    } catch (error) {
      this.#failures += 1
      logger.warn(
        { err: error },
        'totals could not be added up; they are read from more rows until they are'
      )
      return doubledPause(this.#failures, { firstMs: everyMs, longestMs: LONGEST_PAUSE_MS })
    }
  }
}
