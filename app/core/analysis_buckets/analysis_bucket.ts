import vine from '@vinejs/vine'

import { analysis } from '#core/analyses/analysis'
import { holding } from '#kernel/access'
import { column, onlyAtCreation, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

export const BUCKET_TYPES = ['CODE', 'RESULT', 'TEMP'] as const

const update = holding('analysis_update')
const reference = onlyAtCreation(vine.string().uuid())

/** A bucket of the storage that belongs to an analysis, one for each purpose. */
export const analysisBucket = defineKind({
  name: 'analysisBucket',
  collection: '/analysis-buckets',
  table: 'analysis_buckets',
  columns: {
    id: column.uuid(),
    type: column.text({ body: onlyAtCreation(vine.enum(BUCKET_TYPES)) }),
    bucketId: column.uuid({ body: reference }),
    analysisId: column.uuid({ body: reference }),
    realmId: column.uuid(),
    ...timestamps,
  },
  relations: {
    analysis: { to: () => analysis, goesAlong: true, by: 'analysisId', includable: true },
  },
  filters: ['analysisId', 'type'],
  sorts: ['type', 'createdAt', 'updatedAt'],
  indexes: [['id'], ['analysisId'], ['type'], ['createdAt'], ['updatedAt']],
  realm: 'realmId',
  access: { create: update, update, remove: update },
})
