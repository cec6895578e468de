import type pg from 'pg'

import { newMessage, type Message } from '#bus/message'
import { newId } from '#kernel/new_id'
import { EVENT_KEYS, eventRouting, type EventKey } from '#bus/names'
import { publishCommands, type OrderedMessage } from '#outbox/publish'
import type { Origin } from '#kernel/origin'
import type { Attributes } from '#records/row'

/** Events of the life of a bucket or file. */
export type StorageEvent =
  | 'creationStarted'
  | 'creationFinished'
  | 'creationFailed'
  | 'deletionStarted'
  | 'deletionFinished'
  | 'deletionFailed'

/** The origin of work for a command. Events of the work answer that command. */
export interface CommandOrigin extends Origin {
  readonly command: Message
}

/** Writes an event about a bucket to the outbox, for subscribers of the bus. */
export function recordBucketEvent(
  transaction: pg.ClientBase,
  origin: Partial<CommandOrigin>,
  event: StorageEvent,
  content: Attributes
): Promise<void> {
  const key = EVENT_KEYS.storageBucket
  return publishCommands(transaction, [eventMessage(key, 'bucket', origin, event, content)])
}

/** Like `recordBucketEvent`, for files. */
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

/** Storage internals are not published. */
function publicAttributes({ layout: _, sha256: __, ...file }: Attributes): Attributes {
  return file
}

/**
 * Metadata that correlate an event with its command. Values of clients never become correlation ids: other services
 * would take the event for their answer.
 */
function replyMetadata(command: Message | undefined) {
  return { correlationId: newId(), ...command?.metadata, persistent: true }
}

/** Formats times as ISO in UTC; the database returns them with an offset. */
function withIsoTimes(content: Attributes): Attributes {
  const times = Object.entries(content).flatMap(([name, value]) =>
    (name === 'createdAt' || name === 'updatedAt') && typeof value === 'string'
      ? [[name, new Date(value).toISOString()]]
      : []
  )
  return { ...content, ...Object.fromEntries(times) }
}
