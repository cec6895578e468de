import type pg from 'pg'

import { newMessage, type Message } from '#bus/message'
import { newId } from '#kernel/new_id'
import { EVENT_KEYS, eventRouting, type EventKey } from '#bus/names'
import { publishCommands, type OrderedMessage } from '#outbox/publish'
import type { Origin } from '#kernel/origin'
import type { Attributes } from '#records/row'

/** What is told of the work on a bucket or a file. */
export type StorageEvent =
  | 'creationStarted'
  | 'creationFinished'
  | 'creationFailed'
  | 'deletionStarted'
  | 'deletionFinished'
  | 'deletionFailed'

/** Who does something because a command asked for it; what is told of it answers that command. */
export interface CommandOrigin extends Origin {
  readonly command: Message
}

/** Keeps an event about a bucket, with what it tells of, for those who follow buckets on the bus. */
export function recordBucketEvent(
  transaction: pg.ClientBase,
  origin: Partial<CommandOrigin>,
  event: StorageEvent,
  content: Attributes
): Promise<void> {
  const key = EVENT_KEYS.storageBucket
  return publishCommands(transaction, [eventMessage(key, 'bucket', origin, event, content)])
}

/** As `tellOfBucket`, for files. */
export function recordFileEvents(
  transaction: pg.ClientBase,
  origin: Partial<CommandOrigin>,
  event: StorageEvent,
  files: readonly Attributes[]
): Promise<void> {
  const key = EVENT_KEYS.storageBucketFile
  const messages = files.map((file) =>
    eventMessage(key, 'bucketFile', origin, event, publicAttributes(file))
  )
  return publishCommands(transaction, messages)
}

function eventMessage(
  key: EventKey,
  kind: string,
  { command }: Partial<CommandOrigin>,
  event: StorageEvent,
  content: Attributes
): OrderedMessage {
  const message = newMessage(
    eventRouting(key),
    event,
    withIsoTimes(content),
    replyMetadata(command)
  )
  return { message, orderedBy: `${kind}/${content.id ?? message.id}` }
}

/** Where and how bytes are kept is nobody else's business. */
function publicAttributes({ layout: _, sha256: __, ...file }: Attributes): Attributes {
  return file
}

/**
 * What ties an event to its command. Nothing that a client sent may become a correlation: others take it for the answer to
 * something they asked for.
 */
function replyMetadata(command: Message | undefined) {
  return { correlationId: newId(), ...command?.metadata, persistent: true }
}

/** The database writes times with an offset. */
function withIsoTimes(content: Attributes): Attributes {
  const times = Object.entries(content).flatMap(([name, value]) =>
    (name === 'createdAt' || name === 'updatedAt') && typeof value === 'string'
      ? [[name, new Date(value).toISOString()]]
      : []
  )
  return { ...content, ...Object.fromEntries(times) }
}
