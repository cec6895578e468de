import { defineConsumer, type Handling } from '#bus/consumer'
import { contentOf } from '#bus/content_of'
import type { Message } from '#bus/message'
import { COMMAND_QUEUES } from '#bus/names'
import { clock } from '#kernel/clock'
import { eventBody } from './event_body.js'
import { insertEvent, removeExpired } from './event_store.js'
import { retentionOf } from './retention.js'

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
  const event = await contentOf(message, eventBody)
  await insertEvent(transaction, event, retentionOf(event), happenedAt(message))
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
