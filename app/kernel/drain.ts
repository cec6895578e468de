import type { EndSignal } from './end_signal.js'
import { ServiceUnavailable } from './failures.js'

/**
 * The end of a process, announced to everything that waits: parked requests answer, streams close, consumers stop.
 */
export class Drain {
  readonly #controller = new AbortController()
  readonly #signals = new Set<EndSignal>()

  get hasStarted(): boolean {
    return this.#controller.signal.aborted
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** How many things end with the process. */
  get size(): number {
    return this.#signals.size
  }

  /** Ends something with the process, until it is forgotten. */
  register(end: EndSignal): void {
    if (this.hasStarted) {
      end.end()
    } else {
      this.#signals.add(end)
    }
  }

  unregister(end: EndSignal): void {
    this.#signals.delete(end)
  }

  start(): void {
    this.#controller.abort()
    this.#signals.forEach((end) => end.end())
  }

  /** Throws once the process is stopping. */
  requireRunning(): void {
    if (this.hasStarted) {
      throw new ServiceUnavailable('This process is stopping')
    }
  }
}

export const drain = new Drain()
