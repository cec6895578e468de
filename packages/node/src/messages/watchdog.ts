/** Aborts its signal if it is not reset within a time. */
export class Watchdog {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout

  constructor(milliseconds: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), milliseconds)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  feed(): void {
    this.#timer.refresh()
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}
