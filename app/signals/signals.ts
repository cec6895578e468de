export interface SignalMessage {
  readonly channel: string
  readonly payload: string
}

export type Unsubscribe = () => Promise<void>

/**
 * How processes tell each other of something at once. Nothing is kept: a process that does not listen misses it.
 */
export interface Signals {
  /** Sends messages in their order. Rejects while they cannot be carried. */
  publish(messages: readonly SignalMessage[]): Promise<void>
  /** Subscribes to a channel until the returned function is called; from later on where the medium is away now. */
  subscribe(channel: string, listener: (payload: string) => void): Promise<Unsubscribe>
  /** Tells the processes that wait for a topic to look. Never throws or waits; many at once become few. */
  notify(topic: string): void
  /** Called for each wake, and once more whenever a wake may have been missed. */
  onNotification(topic: string, listener: () => void): Promise<Unsubscribe>
  /** Whether messages are carried now. */
  readonly isReady: boolean
  /** Receives and sends nothing any more. */
  close(): Promise<void>
}

/** What is wrong with a listener, or with the medium, for the log. */
export type ReportError = (error: Error, what: string) => void

/** Messages cannot be carried now. */
export class SignalsUnavailable extends Error {
  static readonly code = 'signals_away'
  readonly code = SignalsUnavailable.code

  constructor(cause?: unknown) {
    super('Redis does not carry messages now; check the server that REDIS_URL names', { cause })
  }
}
