import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { Analysis } from '#core/analyses/analysis'
import { AnalysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { loggedIn } from '#kernel/access'
import { body } from '#kernel/body'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { changes, id } from '#records/rules'
import { filePath } from './file_path.js'

const rules = {
  path: filePath(),
  root: vine.boolean({ strict: true }).optional(),
  bucketId: id(),
  bucketFileId: id(),
  analysisBucketId: id(),
}

export const createAnalysisBucketFile = body(rules)
export const updateAnalysisBucketFile = body(
  changes(rules, ['bucketId', 'bucketFileId', 'analysisBucketId'])
)

/**
 * A file in a bucket of an analysis. Files are written by actors that may update the analysis, and by nodes that
 * approved it, which need no permission for that: the service checks both.
 */
export class AnalysisBucketFile extends RecordModel {
  static override connection = 'core'
  static override table = 'analysis_bucket_files'

  @column.uuid() declare id: string
  @column.text() declare path: string
  @column.boolean() declare root: boolean
  @column.uuid() declare bucketId: string
  @column.uuid() declare bucketFileId: string
  @column.uuid({ nullable: true }) declare clientId: string | null
  @column.uuid({ nullable: true }) declare robotId: string | null
  @column.uuid({ nullable: true }) declare userId: string | null
  @column.uuid() declare realmId: string
  @column.uuid() declare analysisId: string
  @column.uuid() declare analysisBucketId: string
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Analysis, { foreignKey: 'analysisId', onDelete: 'cascade' })
  declare analysis: BelongsTo<typeof Analysis>
  @belongsTo(() => AnalysisBucket, { foreignKey: 'analysisBucketId', onDelete: 'cascade' })
  declare analysisBucket: BelongsTo<typeof AnalysisBucket>
}

export const analysisBucketFile = defineKind(AnalysisBucketFile, {
  name: 'analysisBucketFile',
  collection: '/analysis-bucket-files',
  create: createAnalysisBucketFile,
  update: updateAnalysisBucketFile,
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
  includable: ['analysis', 'analysisBucket'],
  realm: 'realmId',
  access: { create: loggedIn, update: loggedIn, remove: loggedIn },
})
