import type pg from 'pg'

import { newMessage, newMessageId, type Message } from '#bus/message'
import { EVENT_KEYS, eventOn, type EventKey } from '#bus/names'
import { writeCommand } from '#outbox/write'
import type { Origin } from '#records/events'
import type { Values } from '#records/kind'

/** What is told of the work on a bucket or a file. */
export type StorageEvent =
  | 'creationStarted'
  | 'creationFinished'
  | 'creationFailed'
  | 'deletionStarted'
  | 'deletionFinished'
  | 'deletionFailed'

/** Who does something because a command asked for it; what is told of it answers that command. */
export interface CommandedOrigin extends Origin {
  readonly command: Message
}

/** Keeps an event about a bucket, with what it tells of, for those who follow buckets on the bus. */
export function tellOfBucket(
  transaction: pg.ClientBase,
  origin: Partial<CommandedOrigin>,
  event: StorageEvent,
  content: Values
): Promise<void> {
  return tell(transaction, EVENT_KEYS.storageBucket, 'bucket', origin, event, content)
}

/** As `tellOfBucket`, for a file. */
export function tellOfFile(
  transaction: pg.ClientBase,
  origin: Partial<CommandedOrigin>,
  event: StorageEvent,
  content: Values
): Promise<void> {
  return tell(transaction, EVENT_KEYS.storageBucketFile, 'bucketFile', origin, event, content)
}

function tell(
  transaction: pg.ClientBase,
  key: EventKey,
  kind: string,
  { command }: Partial<CommandedOrigin>,
  event: StorageEvent,
  content: Values
): Promise<void> {
  const message = newMessage(eventOn(key), event, withPlainTimes(content), answering(command))
  return writeCommand(transaction, message, `${kind}/${content.id ?? message.id}`)
}

/**
 * What ties an event to its command. Nothing that a client sent may become a correlation: others take it for the answer to
 * something they asked for.
 */
function answering(command: Message | undefined) {
  return { correlationId: newMessageId(), ...command?.metadata, persistent: true }
}

/** The database writes times with an offset. */
function withPlainTimes(content: Values): Values {
  const times = Object.entries(content).flatMap(([name, value]) =>
    (name === 'createdAt' || name === 'updatedAt') && typeof value === 'string'
      ? [[name, new Date(value).toISOString()]]
      : []
  )
  return { ...content, ...Object.fromEntries(times) }
}
