import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { IdentityRecords } from '#identity/identity_records'
import { IdentityService } from '#identity/embedded/identity_service'
import { requireNotStronger } from '#identity/embedded/strength'
import { visibleRealm } from '#identity/embedded/visible_realm'
import type { Origin } from '#kernel/origin'
import type { Row } from '#records/row'

import { role, type Role } from './role.js'

/** Roles of one realm, and global ones. An actor cannot change a role with more permissions than itself. */
@inject()
export class RoleService extends IdentityService<typeof Role> {
  constructor(records: IdentityRecords) {
    super(role, { ...records, scope: visibleRealm })
  }

  protected override async lockWritable(
    origin: Origin,
    transaction: pg.ClientBase,
    id: string
  ): Promise<Row<typeof Role>> {
    const previous = await super.lockWritable(origin, transaction, id)
    await requireNotStronger(transaction, origin.actor, 'role', previous.id)
    return previous
  }
}
