import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { body } from '#kernel/body'
import { Client } from '#identity/clients/client'
import {
  assignment,
  assignmentKeys,
  updateAssignment,
  assignmentAccess,
} from '#identity/embedded/assignment'
import { reference } from '#identity/embedded/rules'
import { Permission } from '#identity/permissions/permission'
import { Realm } from '#identity/realms/realm'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { id } from '#records/rules'

export const createClientPermission = body({
  clientId: id(),
  permissionId: id(),
  policyId: reference,
})

export class ClientPermission extends RecordModel {
  static override connection = 'identity'
  static override table = 'client_permissions'

  @column.uuid() declare id: string
  @column.uuid() declare clientId: string
  @column.uuid() declare permissionId: string
  @column.uuid({ nullable: true }) declare clientRealmId: string | null
  @column.uuid({ nullable: true }) declare permissionRealmId: string | null
  @column.uuid({ nullable: true }) declare policyId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Client, { foreignKey: 'clientId', onDelete: 'cascade' })
  declare client: BelongsTo<typeof Client>
  @belongsTo(() => Permission, { foreignKey: 'permissionId', onDelete: 'cascade' })
  declare permission: BelongsTo<typeof Permission>
  @belongsTo(() => Realm, { foreignKey: 'clientRealmId', onDelete: 'cascade' })
  declare clientRealm: BelongsTo<typeof Realm> | null
  @belongsTo(() => Realm, { foreignKey: 'permissionRealmId', onDelete: 'cascade' })
  declare permissionRealm: BelongsTo<typeof Realm> | null
}

export const clientPermission = assignment(
  'client',
  'permission',
  defineKind(ClientPermission, {
    name: 'clientPermission',
    collection: '/client-permissions',
    create: createClientPermission,
    update: updateAssignment,
    ...assignmentKeys('clientId', 'permissionId', 'clientRealmId', 'permissionRealmId'),
    includable: ['client', 'permission', 'clientRealm', 'permissionRealm'],
    realm: 'clientRealmId',
    audit: { lasting: 'all' },
    access: assignmentAccess('client'),
  })
)
