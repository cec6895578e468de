import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import type { Message } from './message.js'

/** Transports messages between processes, and between the platform and its workers. */
export abstract class Bus {
  /**
   * Resolves when the broker has confirmed the message or, in memory, a consumer has handled it. Messages with the same
   * `orderedBy` arrive in order. Rejects within 5 s while the broker is unavailable.
   */
  abstract publish(message: Message, orderedBy: string): Promise<void>

  /**
   * Consumes a queue, and resumes after the broker was unavailable. A delivery that resolves is acknowledged, and
   * redelivered if it rejects. `stop` waits for deliveries in flight and requeues the others.
   */
  abstract subscribe(
    subscription: Subscription,
    deliver: (delivery: Delivery) => Promise<void>
  ): Promise<{ stop(): Promise<void> }>

  /** Whether a queue has consumers; undefined if the broker is unavailable. */
  abstract hasConsumers(queue: string): Promise<boolean | undefined>

  /** Prepares what workers with a limited account use; one of the hub's processes has to. */
  abstract admitWorkers(): void

  /** Whether messages can be published and consumed now. */
  abstract readonly isReady: boolean

  abstract close(): Promise<void>
}

export interface Subscription {
  readonly queue: string
  /** Binding keys of events. With them the queue is the platform's own; without, it is a command queue. */
  readonly events?: readonly string[]
  /** The maximum of deliveries in flight. */
  readonly prefetch: number
  /** Stores dead letters for the in-memory driver; a broker needs none. */
  readonly database?: pg.Pool
}

/** A message delivered to a consumer. */
export interface Delivery {
  readonly bytes: Uint8Array
  /** The trace in which the message was published, as W3C `traceparent`; from peers, so not to be trusted. */
  readonly traceparent: string | undefined
  readonly history: DeliveryHistory
  /** Whether the channel was lost, so that the bus redelivers the message. */
  readonly isLost: boolean
  /** Moves the message to the dead letters. */
  deadLetter(cause: DeadLetterCause): Promise<void>
}

/** Whether the message was delivered before: no, yes, or unknown to the driver. */
export type DeliveryHistory = 'first' | 'again' | 'unknown'

export interface DeadLetterCause {
  readonly reason: string
  readonly attempts: number
}

export type BusLogger = Pick<Logger, 'info' | 'warn' | 'error'>
