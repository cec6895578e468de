import vine from '@vinejs/vine'

import { defineConsumer } from '#bus/consumer'
import { EVENT_KEYS } from '#bus/names'
import { following } from '#core/following'
import { body } from '#kernel/body'
import { id } from '#records/rules'
import { AnalysisBucketFileService } from './analysis_bucket_file_service.js'

const storedFile = body({
  id: id(),
  bucketId: id(),
  path: vine.string().maxLength(256),
  actorType: vine.enum(['user', 'client', 'robot']).nullable().optional(),
  actorId: id().nullable().optional(),
})
const deletedFile = body({ id: id() })

/** Enters the files of analyses as storage takes them in, and removes those it deleted. */
export const analysisFileConsumer = defineConsumer({
  queue: `core.${EVENT_KEYS.storageBucketFile}`,
  events: [EVENT_KEYS.storageBucketFile],
  surface: 'core',
  prefetch: 20,
  recordOf: ({ data }) => String(data.bucketId ?? data.id),
  handlers: {
    creationFinished: following(
      storedFile,
      AnalysisBucketFileService,
      (files, { transaction, origin, content }) => files.enterStored(transaction, origin, content)
    ),
    deletionFinished: following(
      deletedFile,
      AnalysisBucketFileService,
      (files, { transaction, origin, content }) =>
        files.removeDeleted(transaction, origin, content.id)
    ),
  },
})
