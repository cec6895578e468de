import vine from '@vinejs/vine'

import { analysis } from '#core/analyses/analysis'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { loggedIn } from '#kernel/access'
import { column, onlyAtCreation, optional, required, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

const reference = onlyAtCreation(vine.string().uuid())

/**
 * A file of one of the buckets of an analysis. Whoever may change the analysis writes files, and so does a node that takes
 * part in it, which needs no permission for that: the service looks at both.
 */
export const analysisBucketFile = defineKind({
  name: 'analysisBucketFile',
  collection: '/analysis-bucket-files',
  table: 'analysis_bucket_files',
  columns: {
    id: column.uuid(),
    path: column.text({ body: required(vine.string().maxLength(256)) }),
    root: column.boolean({ body: optional(vine.boolean({ strict: true })) }),
    bucketId: column.uuid({ body: reference }),
    bucketFileId: column.uuid({ body: reference }),
    clientId: column.uuid({ nullable: true }),
    robotId: column.uuid({ nullable: true }),
    userId: column.uuid({ nullable: true }),
    realmId: column.uuid(),
    analysisId: column.uuid(),
    analysisBucketId: column.uuid({ body: reference }),
    ...timestamps,
  },
  relations: {
    analysis: { to: () => analysis, goesAlong: true, by: 'analysisId', includable: true },
    analysisBucket: {
      to: () => analysisBucket,
      goesAlong: true,
      by: 'analysisBucketId',
      includable: true,
    },
  },
  filters: ['path', 'root', 'analysisBucketId', 'analysisId'],
  sorts: ['path', 'createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['analysisId', 'path'],
    ['path'],
    ['root'],
    ['analysisBucketId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  realm: 'realmId',
  access: { create: loggedIn, update: loggedIn, remove: loggedIn },
})
