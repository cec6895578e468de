import type { EndSignal } from './end_signal.js'
import { ServiceUnavailable } from './failures.js'

/** The shutdown of a process, announced to everything that waits: long polls respond, streams close, consumers stop. */
export class Drain {
  readonly #controller = new AbortController()
  readonly #signals = new Set<EndSignal>()

  get hasStarted(): boolean {
    return this.#controller.signal.aborted
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The number of registered signals. */
  get size(): number {
    return this.#signals.size
  }

  /** Ends the signal when the process shuts down, unless it is unregistered before. */
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

  /** Throws if the process is shutting down. */
  requireRunning(): void {
    if (this.hasStarted) {
      throw new ServiceUnavailable('This process is stopping')
    }
  }
}

export const drain = new Drain()
