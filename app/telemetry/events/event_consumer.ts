import app from '@adonisjs/core/services/app'
import type pg from 'pg'

import { defineConsumer, singleHandler, type DeadLetteredMessage } from '#bus/consumer'
import { validatedData } from '#bus/validated_data'
import { derivedId } from '#bus/derived_id'
import { MalformedMessage } from '#bus/errors'
import { newMessage, type Message } from '#bus/message'
import { COMMAND_QUEUES, EVENT_KEYS, eventRouting } from '#bus/names'
import { clock } from '#kernel/clock'
import { newId } from '#kernel/new_id'
import { publishCommand } from '#outbox/publish'
import { createEvent } from './event.js'
import { appendEvents } from './event_table.js'
import { REPORTED_ON_BUS } from './reporter.js'
import { retentionOf } from './retention.js'
import { storedEvent, type NewEvent } from './stored_event.js'
import { sweepEvents } from './event_sweep.js'

/** Stores events of the bus in the audit trail, in batches. */
export const eventConsumer = defineConsumer({
  queue: COMMAND_QUEUES.telemetryEvent,
  surface: 'telemetry',
  prefetch: 3_000,
  recordOf: ({ type }) => type,
  handlers: {
    create: {
      batch: { by: 'type', maxSize: 1_000, lingerMs: 25 },
      read: parseEvent,
      write: storeEvents,
    },
    clean: singleHandler(sweep),
  },
  onDeadLetter: reportFailure,
})

const idOf = (message: Message) => derivedId(COMMAND_QUEUES.telemetryEvent, message)

async function parseEvent(message: Message): Promise<NewEvent> {
  const body = await validatedData(message, createEvent)
  const createdAt = happenedAt(message)
  return {
    ...storedEvent(body, REPORTED_ON_BUS),
    ...retentionOf(body),
    id: idOf(message),
    createdAt,
  }
}

/** Earlier timestamps are seconds mistaken for milliseconds, or invalid. */
const EARLIEST_MS = Date.UTC(2001, 8, 9)

/** When the event happened: its timestamp, unless that is in the future or invalid. */
function happenedAt({ metadata: { timestamp } }: Message): string {
  const now = clock.now()
  const isCredible = timestamp >= EARLIEST_MS && timestamp <= now
  return new Date(isCredible ? timestamp : now).toISOString()
}

async function storeEvents(transaction: pg.ClientBase, events: readonly NewEvent[]): Promise<void> {
  await appendEvents(transaction, events)
}

async function sweep() {
  await sweepEvents({ logger: await app.container.make('logger') })
  return async () => {}
}

/** Reports an event that could not be stored. Success is not reported. */
async function reportFailure({ transaction, message, reason }: DeadLetteredMessage): Promise<void> {
  if (message.type !== 'create') {
    return
  }
  const id = idOf(message)
  const error =
    reason instanceof MalformedMessage ? reason.message : 'The event could not be stored'
  const metadata = { correlationId: newId(), ...message.metadata, persistent: true }
  const failure = newMessage(
    eventRouting(EVENT_KEYS.telemetryEvent),
    'creationFailed',
    { id, error },
    metadata
  )
  await publishCommand(transaction, failure, `event/${id}`)
}
