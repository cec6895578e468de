import type { Logger } from '@adonisjs/core/logger'

import { Failure } from '#kernel/failures'
import type { LeaderElection } from './leader_election.js'
import { msUntilNext, type LongSweep, type Sweep, type SweepResult } from './sweep.js'
import { exponentialBackoff } from '#kernel/backoff'
import { clock } from '#kernel/clock'

const RETRY_MS = 10_000

interface SweeperOptions {
  sweeps: readonly (Sweep | LongSweep)[]
  /** Lets one process at a time run a sweep. */
  leaderElection: LeaderElection
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** The first retry delay of a failed sweep. It doubles up to the sweep's own interval. */
  retryMs?: number
}

/**
 * Runs sweeps at start and then on their schedules; failed ones are retried earlier. Across all processes, one process
 * at a time runs a given sweep.
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
    this.#options.sweeps.forEach((sweep) => this.#runInTurn(sweep))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#timers.forEach((timer) => clearTimeout(timer))
    await this.#lastTurn
  }

  /**
   * Sweeps run one at a time: each needs a connection for its lock and another for its work, so several could deadlock
   * on the pool.
   */
  #runInTurn(sweep: Sweep | LongSweep): void {
    this.#lastTurn = this.#lastTurn.then(async () => {
      if (!this.#stopping.signal.aborted) {
        this.#schedule(sweep, await this.#run(sweep))
      }
    })
  }

  #schedule(sweep: Sweep | LongSweep, waitMs: number): void {
    if (!this.#stopping.signal.aborted) {
      const timer = setTimeout(() => this.#runInTurn(sweep), waitMs)
      this.#timers.set(sweep.name, timer)
    }
  }

  /** Returns the delay until the next run. */
  async #run(sweep: Sweep | LongSweep): Promise<number> {
    const { leaderElection, logger } = this.#options
    try {
      const turn = (lost: AbortSignal) =>
        runTurnOf(sweep, AbortSignal.any([this.#stopping.signal, lost]))
      const { removed, isDone } = (await leaderElection(`sweep:${sweep.name}`, turn)) ?? NOTHING
      if (removed > 0) {
        logger.info({ sweep: sweep.name, removed }, 'sweep removed records')
      }
      this.#failures.delete(sweep.name)
      return isDone ? msUntilNext(sweep.schedule, clock.now()) : 0
    } catch (error) {
      const waitMs = this.#untilRetry(sweep)
      const level = isUnavailable(error) ? 'warn' : 'error'
      const retry = `retrying in ${Math.ceil(waitMs / 1_000)} s`
      logger[level]({ err: error, sweep: sweep.name }, `sweep failed; ${retry}`)
      return waitMs
    }
  }

  #untilRetry({ name, schedule }: Sweep | LongSweep): number {
    const failures = (this.#failures.get(name) ?? 0) + 1
    this.#failures.set(name, failures)
    const { retryMs = RETRY_MS } = this.#options
    const longestMs = msUntilNext(schedule, clock.now())
    return exponentialBackoff(failures, { firstMs: retryMs, longestMs })
  }
}

const NOTHING: SweepResult = { removed: 0, isDone: true }

async function runTurnOf(sweep: Sweep | LongSweep, signal: AbortSignal): Promise<SweepResult> {
  return 'runTurn' in sweep
    ? sweep.runTurn(signal)
    : { removed: await sweep.run(signal), isDone: true }
}

/** A dependency is unavailable, or the sweep must not run now. */
function isUnavailable(error: unknown): boolean {
  return error instanceof Failure && error.status === 503
}
