import vine from '@vinejs/vine'

import { REGISTRY_NAME } from '#core/names/external_name'
import { registry } from '#core/registries/registry'
import { registryProject } from '#core/registry_projects/registry_project'
import { holding } from '#kernel/access'
import { shape } from '#kernel/shape'
import { column, onlyAtCreation, optional, required, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

export const NODE_TYPES = ['default', 'aggregator'] as const

export const node = defineKind({
  name: 'node',
  collection: '/nodes',
  table: 'nodes',
  columns: {
    id: column.uuid(),
    name: column.text({ body: required(vine.string().minLength(3).maxLength(128)) }),
    clientId: column.uuid({ nullable: true }),
    externalName: column.text({
      nullable: true,
      body: optional(vine.string().minLength(1).maxLength(64).use(shape(REGISTRY_NAME)).nullable()),
    }),
    hidden: column.boolean({ body: optional(vine.boolean({ strict: true })) }),
    type: column.text({ body: optional(vine.enum(NODE_TYPES)) }),
    online: column.boolean(),
    publicKey: column.text({
      nullable: true,
      body: optional(vine.string().minLength(5).maxLength(4096).nullable()),
    }),
    robotId: column.uuid({ nullable: true }),
    realmId: column.uuid({ body: onlyAtCreation(vine.string().uuid().nullable().optional()) }),
    registryId: column.uuid({ nullable: true, body: optional(vine.string().uuid().nullable()) }),
    registryProjectId: column.uuid({ nullable: true }),
    ...timestamps,
  },
  relations: {
    registryProject: { to: () => registryProject, by: 'registryProjectId', includable: true },
    registry: { to: () => registry, by: 'registryId', includable: true },
  },
  filters: ['id', 'name', 'online', 'hidden', 'clientId', 'realmId', 'robotId'],
  sorts: ['name', 'updatedAt', 'createdAt'],
  indexes: [
    ['id'],
    ['name', 'realmId'],
    ['online'],
    ['hidden'],
    ['clientId'],
    ['realmId'],
    ['robotId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  realm: 'realmId',
  access: {
    create: holding('node_create'),
    update: holding('node_update'),
    remove: holding('node_delete'),
  },
})
