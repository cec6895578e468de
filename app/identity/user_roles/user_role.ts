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
import { Realm } from '#identity/realms/realm'
import { Role } from '#identity/roles/role'
import { User } from '#identity/users/user'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { id } from '#records/rules'

export const createUserRole = body({ userId: id(), roleId: id(), policyId: reference })

export class UserRole extends RecordModel {
  static override connection = 'identity'
  static override table = 'user_roles'

  @column.uuid() declare id: string
  @column.uuid() declare userId: string
  @column.uuid() declare roleId: string
  @column.uuid({ nullable: true }) declare userRealmId: string | null
  @column.uuid({ nullable: true }) declare roleRealmId: string | null
  @column.uuid({ nullable: true }) declare policyId: string | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => User, { foreignKey: 'userId', onDelete: 'cascade' })
  declare user: BelongsTo<typeof User>
  @belongsTo(() => Role, { foreignKey: 'roleId', onDelete: 'cascade' })
  declare role: BelongsTo<typeof Role>
  @belongsTo(() => Realm, { foreignKey: 'userRealmId', onDelete: 'cascade' })
  declare userRealm: BelongsTo<typeof Realm> | null
  @belongsTo(() => Realm, { foreignKey: 'roleRealmId', onDelete: 'cascade' })
  declare roleRealm: BelongsTo<typeof Realm> | null
}

export const userRole = assignment(
  'user',
  'role',
  defineKind(UserRole, {
    name: 'userRole',
    collection: '/user-roles',
    create: createUserRole,
    update: updateAssignment,
    ...assignmentKeys('userId', 'roleId', 'userRealmId', 'roleRealmId'),
    includable: ['user', 'role', 'userRealm', 'roleRealm'],
    realm: 'userRealmId',
    audit: { lasting: 'all' },
    access: assignmentAccess('user'),
  })
)
