export interface SignalMessage {
  readonly channel: string
  readonly payload: string
}

export type Unsubscribe = () => Promise<void>

/** Messages between processes with at-most-once delivery: a process that is not subscribed misses them. */
export abstract class Signals {
  /** Publishes messages in order. Rejects while the transport is unavailable. */
  abstract publish(messages: readonly SignalMessage[]): Promise<void>
  /**
   * Subscribes to a channel until the returned function is called. If the transport is unavailable, the subscription
   * starts later.
   */
  abstract subscribe(channel: string, listener: (payload: string) => void): Promise<Unsubscribe>
  /**
   * Notifies listeners of a topic that there may be something new. Never throws or waits. Notifications are coalesced.
   */
  abstract notify(topic: string): void
  /** Calls the listener for each notification, and whenever one may have been missed. */
  abstract onNotification(topic: string, listener: () => void): Promise<Unsubscribe>
  /** Whether messages can be delivered now. */
  abstract readonly isReady: boolean
  /** Stops publishing and receiving. */
  abstract close(): Promise<void>
}

/** Reports a failed listener or transport to the log. */
export type ReportError = (error: Error, what: string) => void

/** Messages cannot be delivered now. */
export class SignalsUnavailable extends Error {
  static readonly code = 'signals_away'
  readonly code = SignalsUnavailable.code

  constructor(cause?: unknown) {
    super('Redis is unavailable: check the server that REDIS_URL names', { cause })
  }
}
