import type { Ending } from './ending.js'
import { ServiceUnavailable } from './failures.js'

/**
 * The end of a process, announced to everything that waits: parked requests answer, streams close, consumers stop.
 */
export class Drain {
  readonly #controller = new AbortController()
  readonly #endings = new Set<Ending>()

  get begun(): boolean {
    return this.#controller.signal.aborted
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** How many things end with the process. */
  get size(): number {
    return this.#endings.size
  }

  /** Ends something with the process, until it is forgotten. */
  ends(ending: Ending): void {
    if (this.begun) {
      ending.end()
    } else {
      this.#endings.add(ending)
    }
  }

  forget(ending: Ending): void {
    this.#endings.delete(ending)
  }

  begin(): void {
    this.#controller.abort()
    this.#endings.forEach((ending) => ending.end())
  }

  /** Throws once the process is stopping. */
  requireRunning(): void {
    if (this.begun) {
      throw new ServiceUnavailable('This process is stopping')
    }
  }
}

export const drain = new Drain()
