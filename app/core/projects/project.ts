import vine from '@vinejs/vine'

import { masterImage } from '#core/master_images/master_image'
import { description, displayName } from '#core/names/labels'
import { slugName } from '#core/names/slug_name'
import { holding } from '#kernel/access'
import { column, optional, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

/** What analyses belong to. Which nodes take part is up to the nodes, one by one. */
export const project = defineKind({
  name: 'project',
  collection: '/projects',
  table: 'projects',
  columns: {
    id: column.uuid(),
    name: column.text({ body: slugName }),
    displayName,
    description,
    nodes: column.integer(),
    analyses: column.integer(),
    ...timestamps,
    realmId: column.uuid(),
    clientId: column.uuid({ nullable: true }),
    robotId: column.uuid({ nullable: true }),
    userId: column.uuid({ nullable: true }),
    masterImageId: column.uuid({ nullable: true, body: optional(vine.string().uuid().nullable()) }),
  },
  relations: { masterImage: { to: () => masterImage, by: 'masterImageId', includable: true } },
  filters: ['id', 'name', 'displayName', 'realmId', 'userId'],
  sorts: ['id', 'name', 'displayName', 'updatedAt', 'createdAt'],
  indexes: [
    ['id'],
    ['name'],
    ['displayName'],
    ['realmId'],
    ['userId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  realm: 'realmId',
  access: {
    create: holding('project_create'),
    update: holding('project_update'),
    remove: holding('project_delete'),
  },
})
