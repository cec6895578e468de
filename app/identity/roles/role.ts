import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { clientName } from '#auth/client_name'
import { description, label, reference } from '#identity/embedded/rules'
import { NAMED_IN_REALM } from '#identity/embedded/named_in_realm'
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
  target: vine.string().minLength(1).maxLength(64).nullable().optional(),
  realmId: reference,
}

export const createRole = body(rules)
export const updateRole = body(changes(rules, ['realmId']))

export class Role extends RecordModel {
  static override connection = 'identity'
  static override table = 'roles'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true }) declare description: string | null
  @column.boolean() declare builtIn: boolean
  @column.text({ nullable: true }) declare target: string | null
  @column.uuid({ nullable: true }) declare realmId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Realm, { foreignKey: 'realmId', onDelete: 'cascade' })
  declare realm: BelongsTo<typeof Realm> | null
}

export const role = defineKind(Role, {
  name: 'role',
  collection: '/roles',
  create: createRole,
  update: updateRole,
  ...NAMED_IN_REALM,
  audit: { lasting: 'all' },
  access: {
    read: requires('role_read'),
    create: requires('role_create'),
    update: requires('role_update'),
    remove: requires('role_delete'),
  },
})
