import type pg from 'pg'

import type { Surface } from '#configuration/processes'
import type { Message } from './message.js'

export interface HandlerContext {
  /** What is written here is kept together with the note that the message was handled. */
  readonly transaction: pg.ClientBase
  readonly message: Message
}

export type Handler = (handling: HandlerContext) => Promise<void>

/** A message that is not tried again, and why. */
export interface DeadLetteredMessage extends HandlerContext {
  readonly reason: unknown
}

/** For what calls out, which is never done while a transaction is open: it is done first, any number of times. */
export interface ExternalHandler {
  /** Answers what is written together with the note that the message was handled. */
  readonly execute: (message: Message) => Promise<Completion>
}

export type Completion = (transaction: pg.ClientBase) => Promise<void>

/**
 * For messages that come in numbers, and of which each stands for itself: many are handled in one transaction, in no order. Unlike
 * the others it may see a message again that it handled, and has to know that by itself.
 */
export interface BatchHandler<Content = any> {
  /** Messages in one transaction at most. */
  readonly maxBatchSize: number
  /** For how long a message waits for others at most, where the handler has nothing to do. */
  readonly lingerMs: number
  /** What a message says; throws `MalformedMessage` for what cannot be understood. */
  readonly read: (message: Message) => Promise<Content>
  readonly handleBatch: (transaction: pg.ClientBase, contents: readonly Content[]) => Promise<void>
}

/**
 * For messages that come in numbers about the same record, where one waits for the other: those of one type that stand one behind the
 * other are handled in one transaction, in their order.
 */
export interface OrderedBatchHandler<Content = any> {
  /** Messages in one transaction at most. */
  readonly maxBatchSize: number
  /** What a message says, and what has to be asked for outside of a transaction; throws `MalformedMessage` for what cannot be understood. */
  readonly read: (message: Message) => Promise<Content>
  readonly handleInOrder: (
    transaction: pg.ClientBase,
    contents: readonly Content[]
  ) => Promise<void>
}

/** What a surface does with the messages of one queue. */
export interface Consumer {
  /** A queue of commands or, with `events`, one of the surface's own: `<surface>.<key>`. */
  readonly queue: string
  /** Keys of the events it listens to. They are kept while no process of the surface runs. */
  readonly events?: readonly string[]
  readonly surface: Surface
  /** Messages under way at most. */
  readonly prefetch: number
  /** What a message is about: messages about the same are handled one after the other, in their order. */
  recordOf(message: Message): string
  /**
   * By type of message. A handler may be called again after it failed; its effect in the database happens once. It throws
   * `MalformedMessage` for data no repetition can mend.
   */
  readonly handlers: Readonly<
    Record<string, Handler | ExternalHandler | BatchHandler | OrderedBatchHandler>
  >
  /** Tells those who wait that nothing will come of a message, before it is put among the dead letters. */
  readonly onDeadLetter?: (given: DeadLetteredMessage) => Promise<void>
}

/**
 * Declares a consumer; `start/bus.ts` says in which surface's processes it runs.
 */
export function defineConsumer(consumer: Consumer): Consumer {
  return consumer
}
