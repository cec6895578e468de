import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { Node } from '#core/nodes/node'
import { Project } from '#core/projects/project'
import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { id } from '#records/rules'

export const APPROVAL_STATUSES = ['approved', 'rejected'] as const

export const createProjectNode = body({ projectId: id(), nodeId: id() })
export const updateProjectNode = body({
  approvalStatus: vine.enum(APPROVAL_STATUSES).nullable().optional(),
  comment: vine.string().minLength(3).maxLength(4096).nullable().optional(),
})

const assignAccess = requires('project_create', 'project_update')

/** A node of a project. It participates once its own realm has approved. */
export class ProjectNode extends RecordModel {
  static override connection = 'core'
  static override table = 'project_nodes'

  @column.uuid() declare id: string
  @column.oneOf(APPROVAL_STATUSES, { nullable: true })
  declare approvalStatus: (typeof APPROVAL_STATUSES)[number] | null
  @column.text({ nullable: true }) declare comment: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
  @column.uuid() declare projectId: string
  @column.uuid() declare projectRealmId: string
  @column.uuid() declare nodeId: string
  @column.uuid() declare nodeRealmId: string

  @belongsTo(() => Node, { foreignKey: 'nodeId', onDelete: 'cascade' })
  declare node: BelongsTo<typeof Node>
  @belongsTo(() => Project, { foreignKey: 'projectId', onDelete: 'cascade' })
  declare project: BelongsTo<typeof Project>
}

export const projectNode = defineKind(ProjectNode, {
  name: 'projectNode',
  collection: '/project-nodes',
  create: createProjectNode,
  update: updateProjectNode,
  filters: ['approvalStatus', 'projectRealmId', 'projectId', 'nodeRealmId', 'nodeId'],
  sorts: ['createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['projectId', 'nodeId'],
    ['approvalStatus'],
    ['projectRealmId'],
    ['nodeRealmId'],
    ['nodeId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  includable: ['node', 'project'],
  namesAllowedFields: false,
  audience: ['projectRealmId', 'nodeRealmId'],
  audit: { lasting: ['approvalStatus'] },
  access: { create: assignAccess, update: requires('project_approve'), remove: assignAccess },
})
