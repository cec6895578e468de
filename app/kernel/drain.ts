import { ServiceUnavailable } from './failures.js'

/**
 * The end of a process, announced to everything that waits: parked requests answer, streams close, consumers stop.
 */
export class Drain {
  readonly #controller = new AbortController()

  get begun(): boolean {
    return this.#controller.signal.aborted
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  begin(): void {
    this.#controller.abort()
  }

  /** Throws once the process is stopping. */
  requireRunning(): void {
    if (this.begun) {
      throw new ServiceUnavailable('This process is stopping')
    }
  }
}

export const drain = new Drain()
