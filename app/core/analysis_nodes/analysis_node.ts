import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { Analysis } from '#core/analyses/analysis'
import { PROCESS_STATUSES, type ProcessStatus } from '#core/analyses/process_status'
import { Node } from '#core/nodes/node'
import { requires, requiresAny } from '#kernel/access'
import { body } from '#kernel/body'
import { shape } from '#kernel/shape'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { id } from '#records/rules'

export const APPROVAL_STATUSES = ['approved', 'rejected'] as const

const progress = vine.number({ strict: true }).withoutDecimals().min(0).max(100)

const CONTENT_DIGEST = {
  pattern: /^[0-9a-f]{64}$/,
  description:
    'A content digest has 64 hexadecimal digits: send the digest of GET /analyses/:id/content',
}

export const createAnalysisNode = body({ analysisId: id(), nodeId: id() })
export const updateAnalysisNode = body({
  approvalStatus: vine.enum(APPROVAL_STATUSES).nullable().optional(),
  executionStatus: vine.enum(PROCESS_STATUSES).nullable().optional(),
  executionProgress: progress.nullable().optional(),
  comment: vine.string().nullable().optional(),
  contentDigest: vine.string().use(shape(CONTENT_DIGEST)).optional(),
})

/**
 * A node that is assigned to an analysis. Only the realm of the node approves or rejects the assignment and reports the
 * execution, not the realm that assigns it.
 */
export class AnalysisNode extends RecordModel {
  static override connection = 'core'
  static override table = 'analysis_nodes'

  @column.uuid() declare id: string
  @column.oneOf(APPROVAL_STATUSES, { nullable: true })
  declare approvalStatus: (typeof APPROVAL_STATUSES)[number] | null
  @column.oneOf(PROCESS_STATUSES, { nullable: true }) declare executionStatus: ProcessStatus | null
  @column.integer({ nullable: true }) declare executionProgress: number | null
  @column.text({ nullable: true }) declare comment: string | null
  @column.text({ nullable: true }) declare artifactTag: string | null
  @column.text({ nullable: true }) declare artifactDigest: string | null
  /** The digest of the approved content. */
  @column.text({ nullable: true, internal: true }) declare approvedDigest: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
  @column.uuid() declare analysisId: string
  @column.uuid() declare analysisRealmId: string
  @column.uuid() declare nodeId: string
  @column.uuid() declare nodeRealmId: string

  @belongsTo(() => Node, { foreignKey: 'nodeId', onDelete: 'cascade' })
  declare node: BelongsTo<typeof Node>
  @belongsTo(() => Analysis, { foreignKey: 'analysisId', onDelete: 'cascade' })
  declare analysis: BelongsTo<typeof Analysis>
}

export const analysisNode = defineKind(AnalysisNode, {
  name: 'analysisNode',
  collection: '/analysis-nodes',
  create: createAnalysisNode,
  update: updateAnalysisNode,
  notAsSent: ['contentDigest'],
  precondition: 'contentDigest',
  filters: [
    'executionStatus',
    'approvalStatus',
    'analysisId',
    'analysisRealmId',
    'nodeId',
    'nodeRealmId',
  ],
  sorts: ['createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['nodeId', 'analysisId'],
    ['executionStatus'],
    ['approvalStatus'],
    ['analysisId'],
    ['analysisRealmId'],
    ['nodeRealmId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  includable: ['node', 'analysis'],
  namesAllowedFields: false,
  audience: ['analysisRealmId', 'nodeRealmId'],
  audit: { lasting: ['approvalStatus', 'approvedDigest'] },
  access: {
    create: requires('analysis_update'),
    update: requiresAny('analysis_update', 'analysis_approve'),
    remove: requiresAny('analysis_update', 'analysis_approve'),
  },
})
