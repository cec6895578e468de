import type pg from 'pg'

import type { Surface } from '#configuration/processes'
import type { Message } from './message.js'

export interface HandlerContext {
  /** Commits together with the inbox entry that marks the message as handled. */
  readonly transaction: pg.ClientBase
  readonly message: Message
}

export type Handler = (handling: HandlerContext) => Promise<void>

/** A message that is not retried, and why. */
export interface DeadLetteredMessage extends HandlerContext {
  readonly reason: unknown
}

/** A handler with external calls, which are never made inside a transaction. They come first and may be repeated. */
export interface ExternalHandler {
  /** Makes the external calls; returns the writes that commit with the inbox entry. */
  readonly execute: (message: Message) => Promise<Completion>
}

export type Completion = (transaction: pg.ClientBase) => Promise<void>

/**
 * Handles many independent messages in one transaction, in any order. Unlike other handlers it may receive a message
 * twice and must be idempotent.
 */
export interface BatchHandler<Content = any> {
  /** The maximum of messages per transaction. */
  readonly maxBatchSize: number
  /** How long an idle handler waits for more messages. */
  readonly lingerMs: number
  /** Parses a message; throws `MalformedMessage` if it is invalid. */
  readonly read: (message: Message) => Promise<Content>
  readonly handleBatch: (transaction: pg.ClientBase, contents: readonly Content[]) => Promise<void>
}

/** Handles consecutive messages of one type about the same record in one transaction, in order. */
export interface OrderedBatchHandler<Content = any> {
  /** The maximum of messages per transaction. */
  readonly maxBatchSize: number
  /** Parses a message and makes external calls; throws `MalformedMessage` if the message is invalid. */
  readonly read: (message: Message) => Promise<Content>
  readonly handleInOrder: (
    transaction: pg.ClientBase,
    contents: readonly Content[]
  ) => Promise<void>
}

/** A consumer of one queue. */
export interface Consumer {
  /** A command queue or, with `events`, a queue of the surface's own: `<surface>.<key>`. */
  readonly queue: string
  /** Binding keys of events. The queue retains them while no process of the surface runs. */
  readonly events?: readonly string[]
  readonly surface: Surface
  /** The maximum of messages in flight. */
  readonly prefetch: number
  /** The record that a message is about. Messages about the same record are handled one at a time, in order. */
  recordOf(message: Message): string
  /**
   * Handlers by message type. A handler may run again after a failure; its database effect happens once. It throws
   * `MalformedMessage` for data that no retry can fix.
   */
  readonly handlers: Readonly<
    Record<string, Handler | ExternalHandler | BatchHandler | OrderedBatchHandler>
  >
  /** Called before a message moves to the dead letters, to inform those who wait for its effect. */
  readonly onDeadLetter?: (given: DeadLetteredMessage) => Promise<void>
}

/** Declares a consumer; `start/bus.ts` registers it. */
export function defineConsumer(consumer: Consumer): Consumer {
  return consumer
}
