import { NotificationCoalescer } from './notification_coalescer.js'
import { Listeners, type Listener } from './listeners.js'
import {
  SignalsUnavailable,
  type SignalMessage,
  type ReportError,
  type Signals,
  type Unsubscribe,
} from './signals.js'

/** Signals within a single process. */
export class MemorySignals implements Signals {
  readonly #messages: Listeners
  readonly #notifications: Listeners
  readonly #coalescer = new NotificationCoalescer((topic) => {
    queueMicrotask(() => this.#notifications.dispatch(topic, ''))
  })
  #isClosed = false

  constructor(report: ReportError = throwLater) {
    this.#messages = new Listeners(report)
    this.#notifications = new Listeners(report)
  }

  get isReady(): boolean {
    return !this.#isClosed
  }

  /** Calls listeners asynchronously, as every other implementation does. */
  async publish(messages: readonly SignalMessage[]): Promise<void> {
    await null
    if (this.#isClosed) {
      throw new SignalsUnavailable()
    }
    messages.forEach(({ channel, payload }) => this.#messages.dispatch(channel, payload))
  }

  async subscribe(channel: string, receive: (payload: string) => void): Promise<Unsubscribe> {
    return addListener(this.#messages, channel, receive)
  }

  notify(topic: string): void {
    this.#coalescer.notify(topic)
  }

  async onNotification(topic: string, receive: () => void): Promise<Unsubscribe> {
    return addListener(this.#notifications, topic, receive)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#messages.clear()
    this.#notifications.clear()
  }
}

/** A function that is added twice is called twice. */
function addListener(
  listeners: Listeners,
  channel: string,
  receive: Listener['receive']
): Unsubscribe {
  const listener = { receive }
  listeners.add(channel, listener)
  return async () => void listeners.remove(channel, listener)
}

/** Without a log, a failing listener raises an uncaught error. */
function throwLater(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
