import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { body } from '#kernel/body'
import {
  assignment,
  assignmentKeys,
  updateAssignment,
  assignmentAccess,
} from '#identity/embedded/assignment'
import { reference } from '#identity/embedded/rules'
import { Permission } from '#identity/permissions/permission'
import { Realm } from '#identity/realms/realm'
import { Role } from '#identity/roles/role'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { id } from '#records/rules'

export const createRolePermission = body({ roleId: id(), permissionId: id(), policyId: reference })

export class RolePermission extends RecordModel {
  static override connection = 'identity'
  static override table = 'role_permissions'

  @column.uuid() declare id: string
  @column.uuid() declare roleId: string
  @column.uuid() declare permissionId: string
  @column.uuid({ nullable: true }) declare roleRealmId: string | null
  @column.uuid({ nullable: true }) declare permissionRealmId: string | null
  @column.uuid({ nullable: true }) declare policyId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Role, { foreignKey: 'roleId', onDelete: 'cascade' })
  declare role: BelongsTo<typeof Role>
  @belongsTo(() => Permission, { foreignKey: 'permissionId', onDelete: 'cascade' })
  declare permission: BelongsTo<typeof Permission>
  @belongsTo(() => Realm, { foreignKey: 'roleRealmId', onDelete: 'cascade' })
  declare roleRealm: BelongsTo<typeof Realm> | null
  @belongsTo(() => Realm, { foreignKey: 'permissionRealmId', onDelete: 'cascade' })
  declare permissionRealm: BelongsTo<typeof Realm> | null
}

export const rolePermission = assignment(
  'role',
  'permission',
  defineKind(RolePermission, {
    name: 'rolePermission',
    collection: '/role-permissions',
    create: createRolePermission,
    update: updateAssignment,
    ...assignmentKeys('roleId', 'permissionId', 'roleRealmId', 'permissionRealmId'),
    includable: ['role', 'permission', 'roleRealm', 'permissionRealm'],
    realm: 'roleRealmId',
    audit: { lasting: 'all' },
    access: assignmentAccess('role'),
  })
)
