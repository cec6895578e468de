import vine from '@vinejs/vine'

import { REGISTRY_NAME } from '#core/names/external_name'
import { registry } from '#core/registries/registry'
import { holding } from '#kernel/access'
import { shape } from '#kernel/shape'
import { where } from '#query/condition'
import { column, onlyAtCreation, required, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

const manage = holding('registry_project_manage')

export const REGISTRY_PROJECT_TYPES = [
  'default',
  'aggregator',
  'incoming',
  'outgoing',
  'masterImages',
  'node',
] as const

export const registryProject = defineKind({
  name: 'registryProject',
  collection: '/registry-projects',
  table: 'registry_projects',
  columns: {
    id: column.uuid(),
    name: column.text({ body: required(vine.string().minLength(5).maxLength(128)) }),
    type: column.text({ nullable: true, body: onlyAtCreation(vine.enum(REGISTRY_PROJECT_TYPES)) }),
    public: column.boolean(),
    externalName: column.text({
      body: required(vine.string().minLength(3).maxLength(64).use(shape(REGISTRY_NAME))),
    }),
    externalId: column.text({ nullable: true }),
    accountId: column.text({ nullable: true }),
    accountName: column.text({ nullable: true }),
    accountSecret: column.sealed('registry project account', { nullable: true }),
    webhookName: column.text({ nullable: true }),
    webhookExists: column.boolean(),
    registryId: column.uuid({ body: onlyAtCreation(vine.string().uuid()) }),
    realmId: column.uuid({ nullable: true }),
    ...timestamps,
  },
  relations: {
    registry: { to: () => registry, goesAlong: true, by: 'registryId', includable: true },
  },
  filters: ['id', 'name', 'registryId', 'externalName', 'type'],
  sorts: ['id', 'updatedAt', 'createdAt'],
  indexes: [
    ['id'],
    ['name', 'registryId'],
    ['externalName', 'registryId'],
    ['registryId'],
    ['type'],
    ['createdAt'],
    ['updatedAt'],
  ],
  realm: 'realmId',
  heardIn: [],
  access: { create: manage, update: manage, remove: manage },
  reveals: ({ permissions, kind, id }) =>
    permissions.has('registry_manage') ||
    (kind === 'client' &&
      where.sql(
        (row, bind) =>
          `exists (select 1 from nodes where registry_project_id = ${row}.id and client_id = ${bind(id)}::uuid)`,
        ['id']
      )),
})
