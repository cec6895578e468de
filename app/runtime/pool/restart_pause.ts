import { exponentialBackoff } from '#kernel/backoff'

interface RestartOptions {
  shortestMs: number
  longestMs: number
  steadyMs: number
}

/** The pause before a restart: none after the first failure, then doubled each time, and reset after a steady run. */
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
