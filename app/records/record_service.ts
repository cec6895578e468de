import { enforce } from '#kernel/access'
import type { EntityConflict } from '#kernel/failures'
import type { Origin } from '#kernel/origin'
import type { DuplicateKey } from './duplicate_key.js'
import type { ModelClass } from './model.js'
import { realmFor } from '#kernel/realm'
import type { RowValues } from './record_store.js'
import { RecordWrites } from './record_writes.js'
import { requireRelations } from './required_relations.js'
import type { Attributes } from './row.js'
import { inTransaction } from './transaction.js'

export type { RecordServiceOptions, WrittenWithPendingEvent } from './record_writes.js'

export interface Removal {
  /** Whether to delete a record that others reference. */
  readonly isForced: boolean
}

/**
 * The operations of a kind. Kinds with rules of their own extend this class and compose their methods from
 * `RecordWrites`.
 */
export class RecordService<M extends ModelClass = ModelClass> extends RecordWrites<M> {
  async create(origin: Origin, body: Attributes): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const values = this.#columnsIn({ ...body, ...this.#realmOfNew(origin, body) })
    const { data } = await inTransaction(this.pool, (transaction) =>
      this.insert(transaction, origin, values)
    )
    return data
  }

  async update(origin: Origin, id: string, body: Attributes): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      return this.change(transaction, origin, previous, this.#columnsIn(body))
    })
    return data
  }

  /** `isForced` only applies to kinds that are `forcible`. */
  async remove(origin: Origin, id: string, _removal?: Removal): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockWritable(origin, transaction, id)
      return this.removeRecord(transaction, origin, previous)
    })
    return data
  }

  /** Lists every unique key that a failed write violates. Its transaction must have ended. */
  findDuplicateKeys(conflict: DuplicateKey): Promise<EntityConflict> {
    return conflict.findAllKeys(this.pool)
  }

  /** Throws if the body references records that do not exist. */
  protected requireRelations(body: Attributes): Promise<void> {
    return requireRelations(this.kind, this.pool, body)
  }

  /** Validated bodies contain only columns of the kind. */
  #columnsIn(body: Attributes): RowValues<M> {
    return body as RowValues<M>
  }

  #realmOfNew({ actor }: Origin, body: Attributes): Attributes {
    const { realm } = this.kind
    return realm === undefined ? {} : { [realm]: realmFor(actor, this.kind.realmOf(body)) }
  }
}
