import { errors } from '@vinejs/vine'

import { defineConsumer, type Handling } from '#bus/consumer'
import { MalformedMessage } from '#bus/errors'
import type { Message } from '#bus/message'
import { COMMAND_QUEUES } from '#bus/names'
import { bodyFailure } from '#http/body_issues'
import { clock } from '#runtime/clock'
import { eventBody, type EventBody } from '#telemetry/events/event_body'
import { insertEvent, removeExpired } from '#telemetry/events/event_store'
import { retentionOf } from '#telemetry/events/retention'

/**
 * Takes audit events from the bus into the audit trail.
 */
export const eventConsumer = defineConsumer({
  queue: COMMAND_QUEUES.telemetryEvent,
  surface: 'telemetry',
  prefetch: 5,
  recordOf: ({ data }) => `${data.refType}/${data.refId}`,
  handlers: { create: takeIn, clean: removeAllExpired },
})

async function takeIn({ transaction, message }: Handling): Promise<void> {
  const event = await eventIn(message)
  await insertEvent(transaction, event, retentionOf(event), happenedAt(message))
}

async function eventIn({ data }: Message): Promise<EventBody> {
  try {
    return await eventBody.validate(data)
  } catch (error) {
    if (error instanceof errors.E_VALIDATION_ERROR) {
      throw new MalformedMessage(bodyFailure(error).message)
    }
    throw error
  }
}

/** An event that waited for the bus keeps its time; none happens in the future. */
function happenedAt({ metadata }: Message): Date {
  return new Date(Math.min(metadata.timestamp, clock.now()))
}

async function removeAllExpired({ transaction }: Handling): Promise<void> {
  let isDone = false
  while (!isDone) {
    ;({ isDone } = await removeExpired(transaction))
  }
}
