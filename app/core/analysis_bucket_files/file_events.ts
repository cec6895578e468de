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

/** Files of one upload that are entered in one transaction, which holds their analysis for as long. */
const BATCH_SIZE = 100

/** Enters the files of analyses as storage takes them in, and removes those it deleted. */
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
