import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { IdentityRecords } from '#identity/identity_records'
import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { NamedService } from '#identity/embedded/named_service'
import { mayGrant, type GrantablePermission } from '#identity/embedded/strength'
import { visibleRealm } from '#identity/embedded/visible_realm'
import type { Origin } from '#kernel/origin'
import type { Row } from '#records/row'

import { permission, type Permission } from './permission.js'

/** Permissions of one realm, and global ones. */
@inject()
export class PermissionService extends NamedService<typeof Permission> {
  constructor(records: IdentityRecords) {
    super(permission, { ...records, scope: visibleRealm })
  }

  protected override async lockWritable(
    origin: Origin,
    transaction: pg.ClientBase,
    id: string
  ): Promise<Row<typeof Permission>> {
    const previous = await super.lockWritable(origin, transaction, id)
    requireGrantable(origin.actor, previous)
    return previous
  }
}

function requireGrantable(actor: Actor, target: GrantablePermission): void {
  if (!mayGrant(actor, target)) {
    throw PermissionDenied.missing([target.name])
  }
}
