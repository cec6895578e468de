import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import type { Message } from './message.js'

/**
 * Carries messages between processes, and between this platform and the programs that work for it.
 */
export interface Bus {
  /**
   * Resolves when the message is safe: confirmed by the broker or, in memory, handled. Messages handed in with the same
   * `orderedBy` arrive in the order they were handed in. Rejects within 5 s while the broker is away.
   */
  publish(message: Message, orderedBy: string): Promise<void>

  /**
   * Has messages of a queue delivered, also after the broker was away. A delivery that resolves is done with; one that
   * rejects is delivered again. Stopping waits for the deliveries under way and gives the others back.
   */
  subscribe(
    subscription: Subscription,
    deliver: (delivery: Delivery) => Promise<void>
  ): Promise<{ stop(): Promise<void> }>

  /** Whether anybody takes the commands of a queue; undefined where that cannot be told, since the broker is away. */
  hasConsumers(queue: string): Promise<boolean | undefined>

  /** Whether messages are taken and delivered now. */
  readonly isReady: boolean

  close(): Promise<void>
}

export interface Subscription {
  readonly queue: string
  /** Keys of the events that go into the queue, which then is the platform's own; without any, it is one of commands. */
  readonly events?: readonly string[]
  /** Deliveries under way at most. */
  readonly prefetch: number
  /** Where dead letters are kept by a driver whose queues end with the process; others need none. */
  readonly database?: pg.Pool
}

/** One message on its way to a consumer. */
export interface Delivery {
  readonly bytes: Uint8Array
  readonly history: DeliveryHistory
  /** Whether the bus has taken it back, to deliver it again. */
  readonly isLost: boolean
  /** Keeps it among the dead letters, for people to look at. */
  deadLetter(cause: DeadLetterCause): Promise<void>
}

/** Whether the message was delivered before: certainly not, certainly, or the driver does not know. */
export type DeliveryHistory = 'first' | 'again' | 'unknown'

export interface DeadLetterCause {
  readonly reason: string
  readonly attempts: number
}

export type BusLogger = Pick<Logger, 'info' | 'warn' | 'error'>
