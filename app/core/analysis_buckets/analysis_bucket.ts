import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { Analysis } from '#core/analyses/analysis'
import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { id } from '#records/rules'

export const BUCKET_TYPES = ['CODE', 'RESULT', 'TEMP'] as const

export type BucketType = (typeof BUCKET_TYPES)[number]

export const createAnalysisBucket = body({
  type: vine.enum(BUCKET_TYPES),
  bucketId: id(),
  analysisId: id(),
})
export const updateAnalysisBucket = body({})

const update = requires('analysis_update')

/** A bucket of an analysis at storage. The platform creates one of each type; callers may add others. */
export class AnalysisBucket extends RecordModel {
  static override connection = 'core'
  static override table = 'analysis_buckets'

  @column.uuid() declare id: string
  @column.oneOf(BUCKET_TYPES) declare type: BucketType
  @column.uuid() declare bucketId: string
  @column.uuid() declare analysisId: string
  @column.uuid() declare realmId: string
  /** Created by the platform, and the default bucket of its type. */
  @column.boolean({ internal: true }) declare builtIn: boolean
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Analysis, { foreignKey: 'analysisId', onDelete: 'cascade' })
  declare analysis: BelongsTo<typeof Analysis>
}

export const analysisBucket = defineKind(AnalysisBucket, {
  name: 'analysisBucket',
  collection: '/analysis-buckets',
  create: createAnalysisBucket,
  update: updateAnalysisBucket,
  filters: ['analysisId', 'type'],
  sorts: ['type', 'createdAt', 'updatedAt'],
  indexes: [['id'], ['analysisId'], ['type'], ['createdAt'], ['updatedAt']],
  includable: ['analysis'],
  realm: 'realmId',
  access: { create: update, update, remove: update },
})
