import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { enforce } from '#kernel/access'
import type { EntityConflict } from '#kernel/failures'
import { recordAll } from './event_sink.js'
import type { Origin } from '#kernel/origin'
import type { EventSink } from './events.js'
import { isUuid } from '#kernel/is_uuid'
import type { KeyTaken } from './key_taken.js'
import type { Kind, Values } from './kind.js'
import type { ModelClass } from './model.js'
import { removeParts, type RemovedPart } from './parts.js'
import { realmFor, requireRealm } from '#kernel/realm'
import { changeOf, changesSomething, type WrittenChange } from './record_change.js'
import { RecordReads, type Scope } from './record_reads.js'
import type { Writable, Written } from './record_store.js'
import type { Attributes, Row } from './row.js'
import { requireRelations } from './required_relations.js'
import { inTransaction } from './transaction.js'
import { clock } from '#kernel/clock'

export interface RecordServiceOptions {
  readonly pool: DatabasePool
  readonly sink: EventSink
  readonly scope?: Scope
}

/** A record that is written and whose event is still to be written, where others come before it. */
export interface Untold<M extends ModelClass = ModelClass> extends Written<M> {
  readonly tell: () => Promise<void>
}

/**
 * What can be done with the records of a kind. A kind with rules of its own extends this class, and writes its methods from
 * the parts below: each writes rows and one event per change, and does nothing else.
 */
export class RecordService<M extends ModelClass = ModelClass> extends RecordReads<M> {
  readonly #sink: EventSink

  constructor(kind: Kind<M>, { pool, sink, scope }: RecordServiceOptions) {
    super(kind, pool, scope)
    this.#sink = sink
  }

  async create(origin: Origin, body: Values): Promise<string> {
    enforce(this.kind.access.create!, origin.actor)
    await this.requireRelations(body)
    const values = this.#columnsIn({ ...body, ...this.#realmOfNew(origin, body) })
    const { data } = await inTransaction(this.pool, (transaction) =>
      this.insert(transaction, origin, values)
    )
    return data
  }

  async update(origin: Origin, id: string, body: Values): Promise<string> {
    enforce(this.kind.access.update!, origin.actor)
    await this.requireRelations(body)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      return this.change(transaction, origin, previous, this.#columnsIn(body))
    })
    return data
  }

  async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.kind.access.remove!, origin.actor)
    const { data } = await inTransaction(this.pool, async (transaction) => {
      const previous = await this.lockFor(origin, transaction, id)
      return this.removeRecord(transaction, origin, previous)
    })
    return data
  }

  /** A refused write with every key that is taken, for which its transaction has to be over. */
  allTaken(refusal: KeyTaken): Promise<EntityConflict> {
    return refusal.complete(this.pool)
  }

  /** Throws where a body names records that are not there. */
  protected requireRelations(body: Values): Promise<void> {
    return requireRelations(this.kind, this.pool, body)
  }

  /** The record, locked until the transaction ends. Throws where it is not there, or of a realm the actor may not write. */
  protected async lockFor(
    { actor }: Origin,
    transaction: pg.ClientBase,
    id: string
  ): Promise<Row<M>> {
    const record = await this.lock(transaction, id)
    if (this.kind.realm !== undefined) {
      requireRealm(actor, (record as Attributes)[this.kind.realm] as string | null)
    }
    return record
  }

  /** The record, locked until the transaction ends. Throws where it is not there. */
  protected async lock(transaction: pg.ClientBase, id: string): Promise<Row<M>> {
    this.requireId(id)
    return (await this.store.lock(transaction, id)) ?? this.missing()
  }

  /** Throws where nothing can have this id. */
  protected requireId(id: string): void {
    if (!isUuid(id)) {
      this.missing()
    }
  }

  protected async insert(
    transaction: pg.ClientBase,
    origin: Origin,
    values: Writable<M>
  ): Promise<Written<M>> {
    const record = await this.insertUntold(transaction, origin, values)
    await record.tell()
    return record
  }

  /** As `insert`, for a record that another one needs before it, but of which others hear after that. */
  protected async insertUntold(
    transaction: pg.ClientBase,
    origin: Origin,
    values: Writable<M>
  ): Promise<Untold<M>> {
    const written = await this.store.insert(transaction, { id: clock.uuid(), ...values })
    const change = { type: 'created', next: written.values } as const
    return { ...written, tell: () => this.#tell(transaction, origin, change) }
  }

  /** Nobody is told of an update that changes nothing; the record is answered as it is. */
  protected async change(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<M>,
    values: Writable<M>
  ): Promise<Written<M>> {
    const { id } = previous
    if (!changesSomething(previous, values)) {
      const { data } = await this.store.current(transaction, id)
      return { data, values: previous }
    }
    const written = await this.store.update(transaction, id, values)
    await this.#tell(transaction, origin, { type: 'updated', previous, next: written.values })
    return written
  }

  /** Changes a record that is not locked yet, because another one changes. */
  protected async changeById(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    values: Writable<M>
  ): Promise<Written<M>> {
    return this.change(transaction, origin, await this.lock(transaction, id), values)
  }

  /** Removes a record that is locked, with what goes along with it. */
  protected async removeRecord(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<M>
  ): Promise<Written<M>> {
    const record = await this.removeUntold(transaction, origin, previous)
    await record.tell()
    return record
  }

  /** As `removeRecord`, where others hear first of what follows from it. */
  protected async removeUntold(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<M>
  ): Promise<Untold<M>> {
    for await (const part of this.removeParts(transaction, previous)) {
      await this.tellOfPart(transaction, origin, part)
    }
    return this.removeRow(transaction, origin, previous)
  }

  /** Removes what goes along with a record, some of it at a time. */
  protected removeParts(transaction: pg.ClientBase, { id }: Row<M>): AsyncGenerator<RemovedPart> {
    const { kind, pool } = this
    return removeParts({ transaction, pool }, { kind, ids: [id] })
  }

  protected tellOfPart(
    transaction: pg.ClientBase,
    origin: Origin,
    { kind, records }: RemovedPart
  ): Promise<void> {
    const changes = records.map((previous) => changeOf(kind, origin, { type: 'deleted', previous }))
    return recordAll(this.#sink, transaction, changes)
  }

  /** Removes a record of which nothing else is left. */
  protected async removeRow(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Row<M>
  ): Promise<Untold<M>> {
    const written = await this.store.remove(transaction, previous.id)
    const change = { type: 'deleted', previous } as const
    return { ...written, tell: () => this.#tell(transaction, origin, change) }
  }

  #tell(transaction: pg.ClientBase, origin: Origin, change: WrittenChange): Promise<void> {
    return this.#sink.record(transaction, changeOf(this.kind, origin, change))
  }

  /** What the validators of the kind let through are columns of it. */
  #columnsIn(body: Values): Writable<M> {
    return body as Writable<M>
  }

  #realmOfNew({ actor }: Origin, body: Values): Values {
    const { realm } = this.kind
    return realm === undefined ? {} : { [realm]: realmFor(actor, body[realm] as string | null) }
  }
}
