import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { REGISTRY_NAME } from '#core/names/external_name'
import { Registry } from '#core/registries/registry'
import { requires, requiresInMasterRealm } from '#kernel/access'
import { body } from '#kernel/body'
import { shape } from '#kernel/shape'
import { where } from '#query/condition'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { changes, id } from '#records/rules'

export const REGISTRY_PROJECT_TYPES = [
  'default',
  'aggregator',
  'incoming',
  'outgoing',
  'masterImages',
  'node',
] as const

const rules = {
  name: vine.string().minLength(5).maxLength(128),
  type: vine.enum(REGISTRY_PROJECT_TYPES),
  externalName: vine.string().minLength(3).maxLength(64).use(shape(REGISTRY_NAME)),
  registryId: id(),
}
/** Projects of nodes, and of images on their way, are private whatever is sent. */
const visibility = { public: vine.boolean().optional() }

export const createRegistryProject = body({ ...rules, ...visibility })
export const updateRegistryProject = body({
  ...changes(rules, ['type', 'registryId']),
  ...visibility,
})

export class RegistryProject extends RecordModel {
  static override connection = 'core'
  static override table = 'registry_projects'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.oneOf(REGISTRY_PROJECT_TYPES, { nullable: true })
  declare type: (typeof REGISTRY_PROJECT_TYPES)[number] | null
  @column.boolean() declare public: boolean
  @column.text() declare externalName: string
  @column.text({ nullable: true }) declare externalId: string | null
  @column.text({ nullable: true }) declare accountId: string | null
  @column.text({ nullable: true }) declare accountName: string | null
  @column.sealed('registry project account', { nullable: true })
  declare accountSecret: string | null
  @column.text({ nullable: true }) declare webhookName: string | null
  @column.boolean() declare webhookExists: boolean
  @column.uuid() declare registryId: string
  @column.uuid({ nullable: true }) declare realmId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Registry, { foreignKey: 'registryId', onDelete: 'cascade' })
  declare registry: BelongsTo<typeof Registry>
}

/** Projects that callers create have no realm: they and their events belong to the installation. */
const manage = requires('registry_project_manage')

export const registryProject = defineKind(RegistryProject, {
  name: 'registryProject',
  collection: '/registry-projects',
  create: createRegistryProject,
  update: updateRegistryProject,
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
  includable: ['registry'],
  realm: 'realmId',
  audience: [],
  access: {
    create: requiresInMasterRealm('registry_project_manage'),
    update: manage,
    remove: manage,
  },
  reveals: ({ permissions, kind, id: actorId }) =>
    permissions.has('registry_manage') ||
    (kind === 'client' &&
      where.sql(
        (row, bind) =>
          `exists (select 1 from nodes where registry_project_id = ${row}.id and client_id = ${bind(actorId)}::uuid)`,
        ['id']
      )),
})
