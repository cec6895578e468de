import vine from '@vinejs/vine'

import { node } from '#core/nodes/node'
import { project } from '#core/projects/project'
import { holding } from '#kernel/access'
import { column, onlyAtCreation, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

export const APPROVAL_STATUSES = ['approved', 'rejected'] as const

const assigning = holding('project_create', 'project_update')
const reference = onlyAtCreation(vine.string().uuid())

/** A node that may take part in a project, once its own realm has said so. */
export const projectNode = defineKind({
  name: 'projectNode',
  collection: '/project-nodes',
  table: 'project_nodes',
  columns: {
    id: column.uuid(),
    approvalStatus: column.text({
      nullable: true,
      body: { update: vine.enum(APPROVAL_STATUSES).nullable().optional() },
    }),
    comment: column.text({
      nullable: true,
      body: { update: vine.string().minLength(3).maxLength(4096).nullable().optional() },
    }),
    ...timestamps,
    projectId: column.uuid({ body: reference }),
    projectRealmId: column.uuid(),
    nodeId: column.uuid({ body: reference }),
    nodeRealmId: column.uuid(),
  },
  relations: {
    node: { to: () => node, goesAlong: true, by: 'nodeId', includable: true },
    project: { to: () => project, goesAlong: true, by: 'projectId', includable: true },
  },
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
  namesAllowedFields: false,
  heardIn: ['projectRealmId', 'nodeRealmId'],
  access: { create: assigning, update: holding('project_approve'), remove: assigning },
})
