import vine from '@vinejs/vine'

import { analysis } from '#core/analyses/analysis'
import { PROCESS_STATUSES } from '#core/analyses/process_status'
import { node } from '#core/nodes/node'
import { holding, holdingAny } from '#kernel/access'
import { column, onlyAtCreation, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

export const APPROVAL_STATUSES = ['approved', 'rejected'] as const

const reference = onlyAtCreation(vine.string().uuid())
const approvalStatus = vine.enum(APPROVAL_STATUSES).nullable().optional()
const executionStatus = vine.enum(PROCESS_STATUSES).nullable().optional()
const progress = vine.number({ strict: true }).withoutDecimals().min(0).max(100)

/**
 * A node that is assigned to an analysis. The node's own realm decides whether it takes part, and tells how far its execution
 * is; none of that can be said by whoever assigns it.
 */
export const analysisNode = defineKind({
  name: 'analysisNode',
  collection: '/analysis-nodes',
  table: 'analysis_nodes',
  columns: {
    id: column.uuid(),
    approvalStatus: column.text({ nullable: true, body: { update: approvalStatus } }),
    executionStatus: column.text({ nullable: true, body: { update: executionStatus } }),
    executionProgress: column.integer({
      nullable: true,
      body: { update: progress.nullable().optional() },
    }),
    comment: column.text({
      nullable: true,
      body: { update: vine.string().nullable().optional() },
    }),
    artifactTag: column.text({ nullable: true }),
    artifactDigest: column.text({ nullable: true }),
    /** Of what was approved. */
    approvedDigest: column.text({ nullable: true, internal: true }),
    ...timestamps,
    analysisId: column.uuid({ body: reference }),
    analysisRealmId: column.uuid(),
    nodeId: column.uuid({ body: reference }),
    nodeRealmId: column.uuid(),
  },
  relations: {
    node: { to: () => node, goesAlong: true, by: 'nodeId', includable: true },
    analysis: { to: () => analysis, goesAlong: true, by: 'analysisId', includable: true },
  },
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
  namesAllowedFields: false,
  heardIn: ['analysisRealmId', 'nodeRealmId'],
  access: {
    create: holding('analysis_update'),
    update: holdingAny('analysis_update', 'analysis_approve'),
    remove: holdingAny('analysis_update', 'analysis_approve'),
  },
})
