import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyOf } from '#kernel/body'
import { PermissionDenied } from '#kernel/failures'
import { requireRemovable, requireSameName } from '#identity/embedded/built_in'
import { NamedService } from '#identity/embedded/named_service'
import { requestedRealm } from '#identity/embedded/requested_realm'
import { accessChangesDelivered } from '#identity/embedded/access_changes'
import { mayGrant, type GrantablePermission } from '#identity/embedded/strength'
import { visibleRealm } from '#identity/embedded/visible_realm'
import type { Origin } from '#kernel/origin'
import type { RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

import {
  permission,
  type createPermission,
  type Permission,
  type updatePermission,
} from './permission.js'

/** Permissions of one realm, and global ones. */
export class PermissionService extends NamedService<typeof Permission> {
  constructor(options: RecordServiceOptions) {
    super(permission, { ...options, scope: visibleRealm })
  }

  override async create(origin: Origin, body: BodyOf<typeof createPermission>): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const values = { ...body, realmId: requestedRealm(origin.actor, body) }
    const { data } = await inTransaction(this.pool, (transaction) =>
      this.insert(transaction, origin, values)
    )
    return data
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updatePermission>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      requireGrantable(origin.actor, previous)
      requireSameName(this.kind, previous, body)
      return this.change(transaction, origin, previous, body)
    })
    await accessChangesDelivered()
    return data
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await requireRemovable(this.pool, this.kind, id)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      requireGrantable(origin.actor, previous)
      return this.removeRecord(transaction, origin, previous)
    })
    await accessChangesDelivered()
    return data
  }
}

function requireGrantable(actor: Actor, target: GrantablePermission): void {
  if (!mayGrant(actor, target)) {
    throw PermissionDenied.missing([target.name])
  }
}
