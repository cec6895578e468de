import { enforce } from '#kernel/access'
import { requestedRealm } from './requested_realm.js'
import { visibleRealm } from './visible_realm.js'
import type { Origin } from '#kernel/origin'
import type { BodyOf } from '#kernel/body'
import type { Kind } from '#records/kind'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import { inTransaction } from '#records/transaction'
import { requireRemovable, requireSameName } from './built_in.js'
import type { createRole, Role, updateRole } from '#identity/roles/role'
import type { createScope, Scope, updateScope } from '#identity/scopes/scope'
import { accessChangesDelivered } from './access_changes.js'

type SharedModel = typeof Role | typeof Scope

/** Records that belong to one realm or to all of them, some of them built-in. */
export class SharedService extends RecordService<SharedModel> {
  constructor(kind: Kind<SharedModel>, options: RecordServiceOptions) {
    super(kind, { ...options, scope: visibleRealm })
  }

  override async create(
    origin: Origin,
    body: BodyOf<typeof createRole | typeof createScope>
  ): Promise<string> {
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
    body: BodyOf<typeof updateRole | typeof updateScope>
  ): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
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
      return this.removeRecord(transaction, origin, previous)
    })
    await accessChangesDelivered()
    return data
  }
}
