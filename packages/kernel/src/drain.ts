import { setTimeout as delay } from 'node:timers/promises'

import type { EndSignal } from './end_signal.js'
import { ServiceUnavailable } from './failures.js'

/** The shutdown of a process, announced to everything that waits: long polls respond, streams close, consumers stop. */
export class Drain {
  readonly #controller = new AbortController()
  readonly #signals = new Set<EndSignal>()
  #isAnnounced = false

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

  /**
   * Readiness fails from now on, and everything else continues for a while: balancers turn to other processes before
   * the port closes, and streams that end reconnect there. `start` follows.
   */
  async announce(forMs: number): Promise<void> {
    this.#isAnnounced = true
    await delay(forMs)
  }

  start(): void {
    this.#controller.abort()
    this.#signals.forEach((end) => end.end())
  }

  /** Throws if the process is shutting down, or about to. */
  requireRunning(): void {
    if (this.#isAnnounced || this.hasStarted) {
      throw new ServiceUnavailable('This process is stopping')
    }
  }
}

export const drain = new Drain()
