import type pg from 'pg'

import type { Surface } from '#configuration/processes'
import type { Message } from './message.js'

/** The writes of a handler, which commit together with the inbox entries of their messages. */
export type Completion = (transaction: pg.ClientBase) => Promise<void>

/** Which messages of one type share a transaction. */
export interface BatchStrategy {
  /**
   * `record`: those about the same record that wait behind each other, in order. `type`: all, in any order. The inbox
   * is not checked for these, so a message may come twice and the handler must be idempotent.
   */
  readonly by: 'record' | 'type'
  readonly maxSize: number
  /** How long an idle handler waits for more messages. Only for batches by type. */
  readonly lingerMs?: number
}

/**
 * Handles messages of one type. Both steps may run again after a failure; the effect in the database happens once. They
 * throw `MalformedMessage` for data that no retry can fix.
 */
export interface Handler<Content = any> {
  readonly batch: BatchStrategy
  /** Parses a message and makes external calls, which are never made inside a transaction. */
  readonly read: (message: Message) => Promise<Content>
  readonly write: (transaction: pg.ClientBase, contents: readonly Content[]) => Promise<void>
}

/** Creates a handler of single messages. External calls come first; the returned writes follow in a transaction. */
export function singleHandler(
  execute: (message: Message) => Promise<Completion>
): Handler<Completion> {
  return {
    batch: { by: 'record', maxSize: 1 },
    read: execute,
    async write(transaction, [complete]) {
      await complete?.(transaction)
    },
  }
}

/** A message that is not retried, and why. */
export interface DeadLetteredMessage {
  readonly transaction: pg.ClientBase
  readonly message: Message
  readonly reason: unknown
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
  /** The record that a message is about. Unless batched by type, messages about it are handled in order. */
  recordOf(message: Message): string
  /** Handlers by message type. */
  readonly handlers: Readonly<Record<string, Handler>>
  /** Called before a message moves to the dead letters, to inform those who wait for its effect. */
  readonly onDeadLetter?: (given: DeadLetteredMessage) => Promise<void>
}

/** Declares a consumer; `start/bus.ts` registers it. */
export function defineConsumer(consumer: Consumer): Consumer {
  return consumer
}
