import { GatheredWakes } from './gathered_wakes.js'
import { Listeners, type Listener } from './listeners.js'
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

  async subscribe(channel: string, hear: (payload: string) => void): Promise<Stop> {
    return listening(this.#messages, channel, hear)
  }

  wake(topic: string): void {
    this.#gathered.wake(topic)
  }

  async onWake(topic: string, hear: () => void): Promise<Stop> {
    return listening(this.#wakes, topic, hear)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#messages.clear()
    this.#wakes.clear()
  }
}

/** A function that is added twice is called twice. */
function listening(listeners: Listeners, channel: string, hear: Listener['hear']): Stop {
  const listener = { hear }
  listeners.add(channel, listener)
  return async () => void listeners.remove(channel, listener)
}

/** Until there is a log, a listener that fails is as loud as any other fault. */
function raise(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
