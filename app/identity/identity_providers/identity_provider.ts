import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { requires } from '#kernel/access'
import { NAMED_IN_REALM } from '#identity/embedded/named_in_realm'
import { Realm } from '#identity/realms/realm'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'

/** External providers of a realm. Not supported yet: the list is always empty. */
export class IdentityProvider extends RecordModel {
  static override connection = 'identity'
  static override table = 'identity_providers'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true }) declare description: string | null
  @column.text() declare protocol: string
  @column.boolean() declare enabled: boolean
  @column.uuid({ nullable: true }) declare realmId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Realm, { foreignKey: 'realmId', onDelete: 'cascade' })
  declare realm: BelongsTo<typeof Realm> | null
}

export const identityProvider = defineKind(IdentityProvider, {
  name: 'identityProvider',
  collection: '/identity-providers',
  ...NAMED_IN_REALM,
  access: { read: requires('identity_provider_read') },
})
