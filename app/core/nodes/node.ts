import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { REGISTRY_NAME } from '#core/names/external_name'
import { Registry } from '#core/registries/registry'
import { RegistryProject } from '#core/registry_projects/registry_project'
import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { shape } from '#kernel/shape'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { changes, id } from '#records/rules'

export const NODE_TYPES = ['default', 'aggregator'] as const

const rules = {
  name: vine.string().minLength(3).maxLength(128),
  externalName: vine
    .string()
    .minLength(1)
    .maxLength(64)
    .use(shape(REGISTRY_NAME))
    .nullable()
    .optional(),
  hidden: vine.boolean({ strict: true }).optional(),
  type: vine.enum(NODE_TYPES).optional(),
  publicKey: vine.string().minLength(5).maxLength(4096).nullable().optional(),
  realmId: id().nullable().optional(),
  registryId: id().nullable().optional(),
}

export const createNode = body(rules)
export const updateNode = body(changes(rules, ['realmId']))

export class Node extends RecordModel {
  static override connection = 'core'
  static override table = 'nodes'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.uuid({ nullable: true }) declare clientId: string | null
  @column.text({ nullable: true }) declare externalName: string | null
  @column.boolean() declare hidden: boolean
  @column.oneOf(NODE_TYPES) declare type: (typeof NODE_TYPES)[number]
  @column.boolean() declare online: boolean
  @column.text({ nullable: true }) declare publicKey: string | null
  @column.uuid({ nullable: true }) declare robotId: string | null
  @column.uuid() declare realmId: string
  @column.uuid({ nullable: true }) declare registryId: string | null
  @column.uuid({ nullable: true }) declare registryProjectId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => RegistryProject, { foreignKey: 'registryProjectId' })
  declare registryProject: BelongsTo<typeof RegistryProject> | null
  @belongsTo(() => Registry, { foreignKey: 'registryId' })
  declare registry: BelongsTo<typeof Registry> | null
}

export const node = defineKind(Node, {
  name: 'node',
  collection: '/nodes',
  create: createNode,
  update: updateNode,
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
  includable: ['registryProject', 'registry'],
  realm: 'realmId',
  access: {
    create: requires('node_create'),
    update: requires('node_update'),
    remove: requires('node_delete'),
  },
})
