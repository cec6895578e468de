import vine from '@vinejs/vine'

import { defineConsumer } from '#bus/consumer'
import { EVENT_KEYS } from '#bus/names'
import { serviceHandler, type ServiceMessage } from '#core/service_handler'
import { body } from '#kernel/body'
import { AnalysisBucketService } from './analysis_bucket_service.js'
import { recordCreated } from './bucket_requests.js'

const ofBucket = body({ id: vine.string().uuid().toLowerCase() })

/** Adds buckets to analyses when storage has created them, and removes deleted ones. */
export const analysisBucketConsumer = defineConsumer({
  queue: `core.${EVENT_KEYS.storageBucket}`,
  events: [EVENT_KEYS.storageBucket],
  surface: 'core',
  prefetch: 20,
  recordOf: ({ data: { id } }) => String(id),
  handlers: {
    creationFinished: serviceHandler(ofBucket, AnalysisBucketService, addCreated),
    deletionFinished: serviceHandler(
      ofBucket,
      AnalysisBucketService,
      (buckets, { transaction, origin, content }) =>
        buckets.removeDeleted(transaction, origin, content.id)
    ),
  },
})

async function addCreated(
  buckets: AnalysisBucketService,
  { transaction, origin, content, message }: ServiceMessage<{ id: string }>
): Promise<void> {
  const { correlationId } = message.metadata
  const request = await recordCreated(transaction, correlationId, content.id)
  if (request) {
    await buckets.addCreated(transaction, origin, request.analysisId)
  }
}
