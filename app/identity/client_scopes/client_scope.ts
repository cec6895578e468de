import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { Client } from '#identity/clients/client'
import { assignment, assignmentKeys, updateAssignment } from '#identity/embedded/assignment'
import { reference } from '#identity/embedded/rules'
import { Realm } from '#identity/realms/realm'
import { Scope } from '#identity/scopes/scope'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { id } from '#records/rules'

export const createClientScope = body({ clientId: id(), scopeId: id(), policyId: reference })

export class ClientScope extends RecordModel {
  static override connection = 'identity'
  static override table = 'client_scopes'

  @column.uuid() declare id: string
  @column.uuid() declare clientId: string
  @column.uuid() declare scopeId: string
  @column.uuid({ nullable: true }) declare clientRealmId: string | null
  @column.uuid({ nullable: true }) declare scopeRealmId: string | null
  @column.uuid({ nullable: true }) declare policyId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Client, { foreignKey: 'clientId', onDelete: 'cascade' })
  declare client: BelongsTo<typeof Client>
  @belongsTo(() => Scope, { foreignKey: 'scopeId', onDelete: 'cascade' })
  declare scope: BelongsTo<typeof Scope>
  @belongsTo(() => Realm, { foreignKey: 'clientRealmId', onDelete: 'cascade' })
  declare clientRealm: BelongsTo<typeof Realm> | null
  @belongsTo(() => Realm, { foreignKey: 'scopeRealmId', onDelete: 'cascade' })
  declare scopeRealm: BelongsTo<typeof Realm> | null
}

export const clientScope = assignment(
  'client',
  'scope',
  defineKind(ClientScope, {
    name: 'clientScope',
    collection: '/client-scopes',
    create: createClientScope,
    update: updateAssignment,
    ...assignmentKeys('clientId', 'scopeId', 'clientRealmId', 'scopeRealmId'),
    includable: ['client', 'scope', 'clientRealm', 'scopeRealm'],
    realm: 'clientRealmId',
    access: {
      read: requires('client_scope_read'),
      create: requires('client_scope_create'),
      update: requires('client_scope_update'),
      remove: requires('client_scope_delete'),
    },
  })
)
