import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { Analysis } from '#core/analyses/analysis'
import { Node } from '#core/nodes/node'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'

/** A change of an assignment. The audit trail stores its content. */
export class AnalysisNodeEvent extends RecordModel {
  static override connection = 'core'
  static override table = 'analysis_node_events'

  @column.uuid() declare id: string
  @column.uuid({ nullable: true }) declare eventId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
  @column.uuid() declare analysisId: string
  @column.uuid() declare analysisRealmId: string
  @column.uuid() declare nodeId: string
  @column.uuid() declare nodeRealmId: string

  @belongsTo(() => Analysis, { foreignKey: 'analysisId', onDelete: 'cascade' })
  declare analysis: BelongsTo<typeof Analysis>
  @belongsTo(() => Node, { foreignKey: 'nodeId', onDelete: 'cascade' })
  declare node: BelongsTo<typeof Node>
}

export const analysisNodeEvent = defineKind(AnalysisNodeEvent, {
  name: 'analysisNodeEvent',
  collection: '/analysis-node-events',
  filters: ['analysisId', 'nodeId'],
  sorts: ['createdAt', 'updatedAt'],
  indexes: [['id'], ['analysisId'], ['nodeId'], ['createdAt'], ['updatedAt']],
  includable: ['analysis', 'node'],
  namesAllowedFields: false,
  audience: ['analysisRealmId', 'nodeRealmId'],
  access: {},
})
