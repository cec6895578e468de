import vine from '@vinejs/vine'

import { defineConsumer } from '#bus/consumer'
import { EVENT_KEYS } from '#bus/names'
import { serviceHandler, serviceBatchHandler } from '#core/service_handler'
import { body } from '#kernel/body'
import { id } from '#records/rules'
import { AnalysisBucketFileService } from './analysis_bucket_file_service.js'
import { filePath } from './file_path.js'

const storedFile = body({
  id: id(),
  bucketId: id(),
  path: filePath(),
  actorType: vine.enum(['user', 'client', 'robot']).nullable().optional(),
  actorId: id().nullable().optional(),
})
const deletedFile = body({ id: id() })

/** Files that are added in one transaction, which locks their analysis. */
const BATCH_SIZE = 100

/** Adds files to analyses when storage has stored them, and removes deleted ones. */
export const analysisFileConsumer = defineConsumer({
  queue: `core.${EVENT_KEYS.storageBucketFile}`,
  events: [EVENT_KEYS.storageBucketFile],
  surface: 'core',
  prefetch: 2 * BATCH_SIZE,
  recordOf: ({ data }) => String(data.bucketId ?? data.id),
  handlers: {
    creationFinished: serviceBatchHandler(
      storedFile,
      AnalysisBucketFileService,
      BATCH_SIZE,
      (files, { transaction, origin, contents }) => files.addStored(transaction, origin, contents)
    ),
    deletionFinished: serviceHandler(
      deletedFile,
      AnalysisBucketFileService,
      (files, { transaction, origin, content }) =>
        files.removeDeleted(transaction, origin, content.id)
    ),
  },
})
