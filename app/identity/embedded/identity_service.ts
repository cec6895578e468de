import { enforce } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { Origin } from '#kernel/origin'
import type { ModelClass } from '#records/model'
import type { RowValues } from '#records/record_store'
import { RecordService } from '#records/record_service'
import type { Attributes, Row } from '#records/row'
import { inTransaction } from '#records/transaction'

import { accessChangesDelivered } from './access_changes.js'
import { requireRemovable, requireSameName } from './built_in.js'
import { requestedRealm } from './requested_realm.js'

/**
 * The operations of the provider's records. Built-in ones keep their name and are not deleted. Changes and deletions
 * return when every process knows of changed access.
 */
export class IdentityService<M extends ModelClass = ModelClass> extends RecordService<M> {
  override async create(origin: Origin, body: Attributes): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const values = await this.valuesOfNew(origin.actor, body)
    const { data } = await inTransaction(this.pool, (transaction) =>
      this.insert(transaction, origin, values)
    )
    return data
  }

  override async update(origin: Origin, id: string, body: Attributes): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      const values = await this.valuesAfter(previous, body, origin.actor)
      return this.change(transaction, origin, previous, values)
    })
    await accessChangesDelivered()
    return data
  }

  override async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    await requireRemovable(this.pool, this.kind, id)
    const data = await super.remove(origin, id)
    await accessChangesDelivered()
    return data
  }

  /** The columns of a new record. */
  protected valuesOfNew(actor: Actor, body: Attributes): RowValues<M> | Promise<RowValues<M>> {
    return { ...body, realmId: requestedRealm(actor, body) } as unknown as RowValues<M>
  }

  /** The columns that change. Throws if the actor may not change them; the record is locked. */
  protected valuesAfter(
    previous: Row<M>,
    body: Attributes,
    _actor: Actor
  ): RowValues<M> | Promise<RowValues<M>> {
    requireSameName(this.kind, previous, body)
    return body as RowValues<M>
  }
}
