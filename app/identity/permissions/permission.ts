import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { clientName } from '#auth/client_name'
import { Client } from '#identity/clients/client'
import { description, label, reference } from '#identity/embedded/rules'
import { Realm } from '#identity/realms/realm'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { changes } from '#records/rules'

const rules = {
  name: clientName,
  displayName: label,
  description,
  clientId: reference,
  policyId: reference,
  realmId: reference,
}

export const createPermission = body(rules)
export const updatePermission = body(changes(rules, ['clientId', 'realmId']))

/** Names are unique across realms, since access checks use the name only. */
export class Permission extends RecordModel {
  static override connection = 'identity'
  static override table = 'permissions'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true }) declare description: string | null
  @column.boolean() declare builtIn: boolean
  @column.uuid({ nullable: true }) declare clientId: string | null
  @column.uuid({ nullable: true }) declare policyId: string | null
  @column.uuid({ nullable: true }) declare realmId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Realm, { foreignKey: 'realmId', onDelete: 'cascade' })
  declare realm: BelongsTo<typeof Realm> | null
  @belongsTo(() => Client, { foreignKey: 'clientId', onDelete: 'cascade' })
  declare client: BelongsTo<typeof Client> | null
}

export const permission = defineKind(Permission, {
  name: 'permission',
  collection: '/permissions',
  create: createPermission,
  update: updatePermission,
  filters: ['id', 'name', 'displayName', 'clientId', 'policyId', 'realmId'],
  sorts: ['name', 'createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['name'],
    ['displayName'],
    ['clientId'],
    ['policyId'],
    ['realmId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  includable: ['realm'],
  realm: 'realmId',
  audit: { lasting: 'all' },
  access: {
    read: requires('permission_read'),
    create: requires('permission_create'),
    update: requires('permission_update'),
    remove: requires('permission_delete'),
  },
})
