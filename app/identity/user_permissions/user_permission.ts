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
import { User } from '#identity/users/user'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { id } from '#records/rules'

export const createUserPermission = body({ userId: id(), permissionId: id(), policyId: reference })

export class UserPermission extends RecordModel {
  static override connection = 'identity'
  static override table = 'user_permissions'

  @column.uuid() declare id: string
  @column.uuid() declare userId: string
  @column.uuid() declare permissionId: string
  @column.uuid({ nullable: true }) declare userRealmId: string | null
  @column.uuid({ nullable: true }) declare permissionRealmId: string | null
  @column.uuid({ nullable: true }) declare policyId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => User, { foreignKey: 'userId', onDelete: 'cascade' })
  declare user: BelongsTo<typeof User>
  @belongsTo(() => Permission, { foreignKey: 'permissionId', onDelete: 'cascade' })
  declare permission: BelongsTo<typeof Permission>
  @belongsTo(() => Realm, { foreignKey: 'userRealmId', onDelete: 'cascade' })
  declare userRealm: BelongsTo<typeof Realm> | null
  @belongsTo(() => Realm, { foreignKey: 'permissionRealmId', onDelete: 'cascade' })
  declare permissionRealm: BelongsTo<typeof Realm> | null
}

export const userPermission = assignment(
  'user',
  'permission',
  defineKind(UserPermission, {
    name: 'userPermission',
    collection: '/user-permissions',
    create: createUserPermission,
    update: updateAssignment,
    ...assignmentKeys('userId', 'permissionId', 'userRealmId', 'permissionRealmId'),
    includable: ['user', 'permission', 'userRealm', 'permissionRealm'],
    realm: 'userRealmId',
    audit: { lasting: 'all' },
    access: assignmentAccess('user'),
  })
)
