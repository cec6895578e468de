import { exponentialBackoff } from '#kernel/backoff'

interface RestartOptions {
  shortestMs: number
  longestMs: number
  steadyMs: number
}

/**
 * How long to wait before a process that ended is started again: not at all the first time, then twice as long each
 * time, until it ran steadily for a while.
 */
export class RestartPause {
  readonly #options: RestartOptions
  #failures = 0

  constructor(options: RestartOptions) {
    this.#options = options
  }

  next(ranForMs: number): number {
    const { shortestMs: firstMs, longestMs, steadyMs } = this.#options
    this.#failures = ranForMs >= steadyMs ? 1 : this.#failures + 1
    return this.#failures === 1 ? 0 : exponentialBackoff(this.#failures - 1, { firstMs, longestMs })
  }
}
