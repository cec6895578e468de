import { GatheredWakes } from './gathered_wakes.js'
import { Listeners } from './listeners.js'
import { SignalsAway, type Message, type Report, type Signals, type Stop } from './signals.js'

/**
 * Signals within one process, for an installation that has no other.
 */
export class MemorySignals implements Signals {
  readonly #messages: Listeners
  readonly #wakes: Listeners
  readonly #gathered = new GatheredWakes((topic) => {
    queueMicrotask(() => this.#wakes.tell(topic, ''))
  })
  #isClosed = false

  constructor(report: Report = raise) {
    this.#messages = new Listeners(report)
    this.#wakes = new Listeners(report)
  }

  get isReady(): boolean {
    return !this.#isClosed
  }

  /** Listeners are never called while the caller is still at work, as with any other medium. */
  async publish(messages: readonly Message[]): Promise<void> {
    await null
    if (this.#isClosed) {
      throw new SignalsAway()
    }
    messages.forEach(({ channel, payload }) => this.#messages.tell(channel, payload))
  }

  async subscribe(channel: string, listener: (payload: string) => void): Promise<Stop> {
    const remove = this.#messages.add(channel, listener)
    return async () => void remove()
  }

  wake(topic: string): void {
    this.#gathered.wake(topic)
  }

  async onWake(topic: string, listener: () => void): Promise<Stop> {
    const remove = this.#wakes.add(topic, listener)
    return async () => void remove()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#messages.clear()
    this.#wakes.clear()
  }
}

/** Until there is a log, a listener that fails is as loud as any other fault. */
function raise(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
