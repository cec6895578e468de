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
import { Realm } from '#identity/realms/realm'
import { Role } from '#identity/roles/role'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { id } from '#records/rules'

export const createClientRole = body({ clientId: id(), roleId: id(), policyId: reference })

export class ClientRole extends RecordModel {
  static override connection = 'identity'
  static override table = 'client_roles'

  @column.uuid() declare id: string
  @column.uuid() declare clientId: string
  @column.uuid() declare roleId: string
  @column.uuid({ nullable: true }) declare clientRealmId: string | null
  @column.uuid({ nullable: true }) declare roleRealmId: string | null
  @column.uuid({ nullable: true }) declare policyId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Client, { foreignKey: 'clientId', onDelete: 'cascade' })
  declare client: BelongsTo<typeof Client>
  @belongsTo(() => Role, { foreignKey: 'roleId', onDelete: 'cascade' })
  declare role: BelongsTo<typeof Role>
  @belongsTo(() => Realm, { foreignKey: 'clientRealmId', onDelete: 'cascade' })
  declare clientRealm: BelongsTo<typeof Realm> | null
  @belongsTo(() => Realm, { foreignKey: 'roleRealmId', onDelete: 'cascade' })
  declare roleRealm: BelongsTo<typeof Realm> | null
}

export const clientRole = assignment(
  'client',
  'role',
  defineKind(ClientRole, {
    name: 'clientRole',
    collection: '/client-roles',
    create: createClientRole,
    update: updateAssignment,
    ...assignmentKeys('clientId', 'roleId', 'clientRealmId', 'roleRealmId'),
    includable: ['client', 'role', 'clientRealm', 'roleRealm'],
    realm: 'clientRealmId',
    audit: { lasting: 'all' },
    access: assignmentAccess('client'),
  })
)
