import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { recordAll } from './event_sink.js'
import type { Origin } from '#kernel/origin'
import type { EventSink } from './events.js'
import { isUuid } from '#kernel/is_uuid'
import type { Kind } from './kind.js'
import type { ModelClass } from './model.js'
import { removeDependents, type RemovedDependents } from './dependents.js'
import { requireRealm } from '#kernel/realm'
import { changeOf, hasChanges, type WrittenChange } from './record_change.js'
import { RecordReads, type Scope } from './record_reads.js'
import type { RowValues, WrittenRecord } from './record_store.js'
import type { Row } from './row.js'
import { clock } from '#kernel/clock'

export interface RecordServiceOptions {
  readonly pool: DatabasePool
  readonly sink: EventSink
  readonly scope?: Scope
}

/** A written record whose event must be recorded after those of its dependents. */
export interface WrittenWithPendingEvent<
  M extends ModelClass = ModelClass,
> extends WrittenRecord<M> {
  readonly recordEvent: () => Promise<void>
}

/**
 * The building blocks of writes. Each writes rows and one event per change within a transaction, and has no other
 * effect.
 */
export class RecordWrites<M extends ModelClass = ModelClass> extends RecordReads<M> {
  readonly #sink: EventSink

  constructor(kind: Kind<M>, { pool, sink, scope }: RecordServiceOptions) {
    super(kind, pool, scope)
    this.#sink = sink
  }

  /** Locks the record until the transaction ends. Throws if it does not exist or the actor may not write its realm. */
  protected async lockWritable(
    { actor }: Origin,
    transaction: pg.ClientBase,
    id: string
  ): Promise<Row<M>> {
    const record = await this.lock(transaction, id)
    if (this.kind.realm !== undefined) {
      requireRealm(actor, this.kind.realmOf(record))
    }
    return record
  }

  /** Locks the record until the transaction ends. Throws if it does not exist. */
  protected async lock(transaction: pg.ClientBase, id: string): Promise<Row<M>> {
    this.requireId(id)
    return (await this.store.lock(transaction, id)) ?? this.missing()
  }

  /** Throws if the id is malformed. */
  protected requireId(id: string): void {
    if (!isUuid(id)) {
      this.missing()
    }
  }

  protected async insert(
    transaction: pg.ClientBase,
    origin: Origin,
    values: RowValues<M>
  ): Promise<WrittenRecord<M>> {
    const record = await this.insertWithPendingEvent(transaction, origin, values)
    await record.recordEvent()
    return record
  }

  /** Like `insert`, for several records. Their events are recorded at once. */
  protected async insertAll(
    transaction: pg.ClientBase,
    origin: Origin,
    several: readonly RowValues<M>[]
  ): Promise<readonly WrittenRecord<M>[]> {
    const written: WrittenRecord<M>[] = []
    for (const values of several) {
      written.push(await this.insertRow(transaction, { id: clock.uuid(), ...values }))
    }
    await this.recordCreations(
      transaction,
      written.map(({ values }) => ({ origin, values }))
    )
    return written
  }

  /** Records one creation event per record. */
  protected recordCreations(
    transaction: pg.ClientBase,
    created: readonly { readonly origin: Origin; readonly values: Row<M> }[]
  ): Promise<void> {
    const changes = created.map(({ origin, values: next }) =>
      changeOf(this.kind, origin, { type: 'created', next })
    )
    return recordAll(this.#sink, transaction, changes)
  }

  /** Like `insert`, but the caller records the event later, after those of other records. */
  protected async insertWithPendingEvent(
    transaction: pg.ClientBase,
    origin: Origin,
    values: RowValues<M>
  ): Promise<WrittenWithPendingEvent<M>> {
    const written = await this.insertRow(transaction, { id: clock.uuid(), ...values })
    const change = { type: 'created', next: written.values } as const
    return { ...written, recordEvent: () => this.#recordEvent(transaction, origin, change) }
  }

  /**
   * Updates a locked record. An update without changes records no event and returns the record. `messageId` sets the id
   * of the event's message.
   */
  protected async change(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<M>,
    values: RowValues<M>,
    messageId?: string
  ): Promise<WrittenRecord<M>> {
    const { id } = previous
    if (!hasChanges(previous, values)) {
      const { data } = await this.store.current(transaction, id)
      return { data, values: previous }
    }
    const written = await this.store.update(transaction, id, values)
    const change = { type: 'updated', previous, next: written.values } as const
    await this.#recordEvent(transaction, origin, change, messageId)
    return written
  }

  /** Locks and updates a record. */
  protected async updateById(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    values: RowValues<M>
  ): Promise<WrittenRecord<M>> {
    return this.change(transaction, origin, await this.lock(transaction, id), values)
  }

  /** Deletes a locked record and its dependents. */
  protected async removeRecord(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<M>
  ): Promise<WrittenRecord<M>> {
    const record = await this.removeWithPendingEvent(transaction, origin, previous)
    await record.recordEvent()
    return record
  }

  /** Like `removeRecord`, but the caller records the event later. */
  protected async removeWithPendingEvent(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<M>
  ): Promise<WrittenWithPendingEvent<M>> {
    for await (const part of this.removeDependents(transaction, previous)) {
      await this.recordDeletions(transaction, origin, part)
    }
    return this.removeRow(transaction, origin, previous)
  }

  /** Deletes the dependents of a record in batches. */
  protected removeDependents(
    transaction: pg.ClientBase,
    { id }: Row<M>
  ): AsyncGenerator<RemovedDependents> {
    const { kind, pool } = this
    return removeDependents({ transaction, pool }, { kind, ids: [id] })
  }

  protected recordDeletions(
    transaction: pg.ClientBase,
    origin: Origin,
    { kind, records }: RemovedDependents
  ): Promise<void> {
    const changes = records.map((previous) => changeOf(kind, origin, { type: 'deleted', previous }))
    return recordAll(this.#sink, transaction, changes)
  }

  /** Deletes a record without dependents. */
  protected async removeRow(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<M>
  ): Promise<WrittenWithPendingEvent<M>> {
    const written = await this.deleteRow(transaction, previous.id)
    const change = { type: 'deleted', previous } as const
    return { ...written, recordEvent: () => this.#recordEvent(transaction, origin, change) }
  }

  /** Writes the row without an event, for kinds with a life cycle of their own. */
  protected insertRow(transaction: pg.ClientBase, values: RowValues<M>): Promise<WrittenRecord<M>> {
    return this.store.insert(transaction, values)
  }

  protected deleteRow(transaction: pg.ClientBase, id: string): Promise<WrittenRecord<M>> {
    return this.store.remove(transaction, id)
  }

  #recordEvent(
    transaction: pg.ClientBase,
    origin: Origin,
    change: WrittenChange,
    messageId?: string
  ): Promise<void> {
    const recorded = changeOf(this.kind, origin, change)
    return this.#sink.record(transaction, messageId ? { ...recorded, messageId } : recorded)
  }
}
