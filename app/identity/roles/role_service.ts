import { enforce } from '#kernel/access'
import type { BodyOf } from '#kernel/body'
import { requireRemovable, requireSameName } from '#identity/embedded/built_in'
import { SharedService } from '#identity/embedded/shared_service'
import { accessChangesDelivered } from '#identity/embedded/access_changes'
import { requireNotStronger } from '#identity/embedded/strength'
import type { Origin } from '#kernel/origin'
import type { RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'

import { role, type updateRole } from './role.js'

/** Roles of one realm, and global ones. An actor cannot change a role with more permissions than itself. */
export class RoleService extends SharedService {
  constructor(options: RecordServiceOptions) {
    super(role, options)
  }

  override async update(
    origin: Origin,
    id: string,
    body: BodyOf<typeof updateRole>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      await requireNotStronger(transaction, origin.actor, 'role', previous.id)
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
      await requireNotStronger(transaction, origin.actor, 'role', previous.id)
      return this.removeRecord(transaction, origin, previous)
    })
    await accessChangesDelivered()
    return data
  }
}
