interface BackOffOptions {
  shortestMs: number
  longestMs: number
  steadyMs: number
}

/**
 * How long to wait before something that ended is started again: not at all the first time, then twice as long each
 * time, until it ran steadily for a while.
 */
export class BackOff {
  readonly #options: BackOffOptions
  #failures = 0

  constructor(options: BackOffOptions) {
    this.#options = options
  }

  next(ranForMs: number): number {
    const { shortestMs, longestMs, steadyMs } = this.#options
    this.#failures = ranForMs >= steadyMs ? 1 : this.#failures + 1
    return this.#failures === 1 ? 0 : Math.min(shortestMs * 2 ** (this.#failures - 2), longestMs)
  }
}
