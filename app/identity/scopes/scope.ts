import type { BelongsTo } from '@adonisjs/lucid/types/relations'
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

const rules = { name: clientName, displayName: label, description, realmId: reference }

export const createScope = body(rules)
export const updateScope = body(changes(rules, ['realmId']))

/** A scope. Every client may request the built-in ones; assignments document which it should use. */
export class Scope extends RecordModel {
  static override connection = 'identity'
  static override table = 'scopes'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true }) declare description: string | null
  @column.boolean() declare builtIn: boolean
  @column.uuid({ nullable: true }) declare realmId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Realm, { foreignKey: 'realmId', onDelete: 'cascade' })
  declare realm: BelongsTo<typeof Realm> | null
}

export const scope = defineKind(Scope, {
  name: 'scope',
  collection: '/scopes',
  create: createScope,
  update: updateScope,
  ...NAMED_IN_REALM,
  access: {
    read: requires('scope_read'),
    create: requires('scope_create'),
    update: requires('scope_update'),
    remove: requires('scope_delete'),
  },
})
