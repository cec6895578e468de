import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { requires, requiresAny } from '#kernel/access'
import { body } from '#kernel/body'
import { chosenSecret } from '#auth/chosen_secret'
import { clientName } from '#auth/client_name'
import { SELF_MANAGE } from '#identity/embedded/own_permissions'
import { address, flag, label, reference, shortText } from '#identity/embedded/rules'
import { Realm } from '#identity/realms/realm'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { changes } from '#records/rules'

const rules = {
  name: clientName,
  displayName: label,
  email: vine.string().email().maxLength(320).nullable().optional(),
  active: flag,
  nameLocked: flag,
  firstName: shortText,
  lastName: shortText,
  avatar: address,
  cover: address,
  password: chosenSecret(512).optional(),
  realmId: reference,
}

export const createUser = body(rules)
export const updateUser = body(changes(rules, ['realmId']))

export class User extends RecordModel {
  static override connection = 'identity'
  static override table = 'users'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true, optIn: true }) declare email: string | null
  @column.boolean() declare active: boolean
  @column.boolean() declare nameLocked: boolean
  @column.text({ nullable: true }) declare firstName: string | null
  @column.text({ nullable: true }) declare lastName: string | null
  @column.text({ nullable: true }) declare avatar: string | null
  @column.text({ nullable: true }) declare cover: string | null
  /** Sent in plain text, stored as a hash. */
  @column.text({ nullable: true, secret: true, internal: true }) declare password: string | null
  /** Older sessions are invalid: the password was changed or the user was deactivated. */
  @column.timestamp({ nullable: true, internal: true }) declare sessionsSince: DateTime | null
  @column.uuid() declare realmId: string
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Realm, { foreignKey: 'realmId', onDelete: 'cascade' })
  declare realm: BelongsTo<typeof Realm>
}

export const user = defineKind(User, {
  name: 'user',
  collection: '/users',
  create: createUser,
  update: updateUser,
  filters: ['id', 'name', 'displayName', 'active', 'realmId'],
  sorts: ['name', 'createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['name', 'realmId'],
    ['displayName'],
    ['active'],
    ['realmId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  includable: ['realm'],
  realm: 'realmId',
  audit: { lasting: ['sessionsSince'] },
  access: {
    create: requires('user_create'),
    update: requiresAny('user_update', SELF_MANAGE),
    remove: requires('user_delete'),
  },
})
