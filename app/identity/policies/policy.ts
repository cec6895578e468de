import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { requires } from '#kernel/access'
import { NAMED_IN_REALM } from '#identity/embedded/named_in_realm'
import { Realm } from '#identity/realms/realm'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'

/** Conditions on permissions. Not supported yet: the list is always empty. */
export class Policy extends RecordModel {
  static override connection = 'identity'
  static override table = 'policies'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true }) declare description: string | null
  @column.text() declare type: string
  @column.boolean() declare builtIn: boolean
  @column.uuid({ nullable: true }) declare realmId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Realm, { foreignKey: 'realmId', onDelete: 'cascade' })
  declare realm: BelongsTo<typeof Realm> | null
}

export const policy = defineKind(Policy, {
  name: 'policy',
  collection: '/policies',
  ...NAMED_IN_REALM,
  access: { read: requires('policy_read') },
})
