import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { enforce, type Access } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { type EntityConflict, EntityNotFound, RelationInvalid } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Condition } from '#query/condition'
import type { DecodedQuery, Selection } from '#query/decode'
import type { ListRow, ReadOptions } from '#query/sql/list_statement'
import { recordAll } from '#records/event_sink'
import type { Origin } from '#kernel/origin'
import type { EventSink } from '#records/events'
import { isUuid } from '#kernel/is_uuid'
import type { KeyTaken } from '#records/key_taken'
import type { Kind, Values } from '#records/kind'
import { removeParts } from '#records/parts'
import { requireRealm } from '#kernel/realm'
import { changeOf, changesSomething, type WrittenChange } from '#records/record_change'
import { askedSecrets, revealTo, type AskedSecrets } from '#records/secrets'
import { RecordStore, type Written } from '#records/record_store'
import { tellInTurn } from '#records/telling_first'
import { inTransaction } from '#records/transaction'
import { clock } from '#kernel/clock'

export interface RecordServiceOptions {
  pool: DatabasePool
  sink: EventSink
}

/**
 * What can be done with the records of a kind. A kind that does more extends this class and says only what is different.
 */
export class RecordService {
  protected readonly store: RecordStore
  protected readonly pool: DatabasePool
  readonly #sink: EventSink

  constructor(
    readonly kind: Kind,
    { pool, sink }: RecordServiceOptions
  ) {
    this.store = new RecordStore(kind, pool)
    this.pool = pool
    this.#sink = sink
  }

  async list(origin: Origin, query: DecodedQuery): Promise<ListRow> {
    enforce(this.kind.access.read, origin.actor)
    const secrets = askedSecrets(this.kind, query.selection)
    const options = this.#readOptions(origin.actor, secrets)
    if (!secrets) {
      return this.store.list(query, options)
    }
    const { data, total } = await this.store.list(
      { ...query, selection: secrets.selection },
      options
    )
    return { data: await secrets.show(origin, data), total }
  }

  async read(origin: Origin, id: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, origin.actor)
    const secrets = askedSecrets(this.kind, selection)
    const options = this.#readOptions(origin.actor, secrets)
    const record = await this.store.read(id, secrets?.selection ?? selection, options)
    if (record === undefined) {
      return this.#missing()
    }
    return secrets ? secrets.show(origin, record) : record
  }

  /** A page for somebody who is not logged in, of what the kind shows everybody. */
  async listOpen(query: DecodedQuery): Promise<ListRow> {
    enforce(this.kind.access.read, undefined)
    return this.store.list(query, {})
  }

  /** A record for somebody who is not logged in, as far as the kind shows it to everybody. */
  async readOpen(id: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, undefined)
    return (await this.store.read(id, selection, {})) ?? this.#missing()
  }

  /** Which record a path means; it is its id, unless a kind has other names for its records. */
  async idOf(named: string): Promise<string> {
    return named
  }

  async create(origin: Origin, body: Values): Promise<string> {
    enforce(this.#needed('create'), origin.actor)
    await this.#requireRelations(body)
    const values = { id: clock.uuid(), ...(await this.prepareCreation(origin, body)) }
    const { data } = await this.aroundCreation(origin, values, () =>
      inTransaction(this.pool, (transaction) => this.createWithin(transaction, origin, values))
    )
    return data
  }

  async update(origin: Origin, id: string, body: Values): Promise<string> {
    enforce(this.#needed('update'), origin.actor)
    await this.#requireRelations(body)
    const { data } = await this.#change(origin, id, async (transaction, previous) => {
      const values = await this.prepareUpdate(origin, previous, body, transaction)
      return this.#updateFrom(transaction, origin, previous, values)
    })
    return data
  }

  async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.#needed('remove'), origin.actor)
    const { data } = await this.#change(origin, id, (transaction, previous) =>
      this.#removeFrom(transaction, origin, previous)
    )
    return data
  }

  /** A refused write with every key that is taken, for which its transaction has to be over. */
  allTaken(refusal: KeyTaken): Promise<EntityConflict> {
    return refusal.complete(this.pool)
  }

  /** Creates a record as a part of something else, which has checked whether its caller may do that. */
  async createWithin(transaction: pg.ClientBase, origin: Origin, values: Values): Promise<Written> {
    const complete = await this.inCreation(transaction, origin, { id: clock.uuid(), ...values })
    const written = await this.store.insert(transaction, complete)
    await this.#tell(transaction, origin, { type: 'created', next: written.values })
    return written
  }

  /** Updates a record as a part of something else, which has checked whether its caller may do that. */
  async updateWithin(
    transaction: pg.ClientBase,
    origin: Origin,
    id: string,
    values: Values
  ): Promise<Written> {
    const previous = (await this.store.lock(transaction, id)) ?? this.#missing()
    return this.#updateFrom(transaction, origin, previous, values)
  }

  /** Removes a record as a part of something else, which has checked whether its caller may do that. */
  async removeWithin(transaction: pg.ClientBase, origin: Origin, id: string): Promise<Written> {
    const previous = (await this.store.lock(transaction, id)) ?? this.#missing()
    return this.#removeFrom(transaction, origin, previous)
  }

  /** What is stored for a new record, made of what was sent. */
  protected async prepareCreation({ actor }: Origin, body: Values): Promise<Values> {
    const { realm } = this.kind
    if (realm === undefined) {
      return body
    }
    const realmId = (body[realm] as string | null | undefined) ?? actor.realmId
    requireRealm(actor, realmId)
    return { ...body, [realm]: realmId }
  }

  /** What has to be done outside of the transaction that creates a record, before it and after it. */
  protected aroundCreation<T>(
    _origin: Origin,
    _values: Values,
    work: () => Promise<T>
  ): Promise<T> {
    return work()
  }

  /** What is stored for a new record, completed by what only the transaction knows. */
  protected async inCreation(
    _transaction: pg.ClientBase,
    _origin: Origin,
    values: Values
  ): Promise<Values> {
    return values
  }

  /** What is stored for a record that is there, and locked, made of what was sent. */
  protected async prepareUpdate(
    _origin: Origin,
    _previous: Values,
    body: Values,
    _transaction: pg.ClientBase
  ): Promise<Values> {
    return body
  }

  /** What has to be done before a record is removed, or stands against it. */
  protected async inRemoval(
    _transaction: pg.ClientBase,
    _origin: Origin,
    _previous: Values
  ): Promise<void> {}

  /** What follows from a write, in its transaction. */
  protected async afterWrite(
    _transaction: pg.ClientBase,
    _origin: Origin,
    _change: WrittenChange
  ): Promise<void> {}

  /** What follows from the removal of records that went along with one of these. */
  protected async afterPartsWent(
    _transaction: pg.ClientBase,
    _origin: Origin,
    _kind: Kind,
    _records: readonly Values[]
  ): Promise<void> {}

  /** Conditions on top of the caller's, for kinds of which not everybody sees everything. */
  protected visible(_actor: Actor): readonly Condition[] {
    return []
  }

  #needed(write: 'create' | 'update' | 'remove'): Access {
    const access = this.kind.access[write]
    if (!access) {
      throw new Error(`${this.kind.name} offers no ${write}`)
    }
    return access
  }

  #readOptions(actor: Actor, secrets: AskedSecrets | undefined): ReadOptions {
    const where = this.visible(actor)
    return { ...(where.length > 0 && { where }), ...(secrets && { reveal: revealTo(actor) }) }
  }

  async #change(
    { actor }: Origin,
    id: string,
    change: (transaction: pg.ClientBase, previous: Values) => Promise<Written>
  ): Promise<Written> {
    if (!isUuid(id)) {
      return this.#missing()
    }
    return inTransaction(this.pool, async (transaction) => {
      const previous = (await this.store.lock(transaction, id)) ?? this.#missing()
      if (this.kind.realm !== undefined) {
        requireRealm(actor, previous[this.kind.realm] as string | null)
      }
      return change(transaction, previous)
    })
  }

  async #requireRelations(body: Values): Promise<void> {
    const named = Object.values(this.kind.relations).filter(
      ({ by }) => body[by] !== undefined && body[by] !== null
    )
    const dangling = await Promise.all(
      named.map(async ({ to, by }) => {
        const found = await new RecordStore(to(), this.pool).exists(body[by] as string)
        return found ? [] : [issue('value_invalid', [by], `No ${to().label} has this id`)]
      })
    )
    const issues = dangling.flat()
    if (issues.length > 0) {
      throw new RelationInvalid('The body names a record that does not exist', { issues })
    }
  }

  async #updateFrom(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Values,
    values: Values
  ): Promise<Written> {
    const id = previous.id as string
    if (!changesSomething(previous, values)) {
      return this.#leave(transaction, origin, id)
    }
    const written = await this.store.update(transaction, id, values)
    await this.#tell(transaction, origin, { type: 'updated', previous, next: written.values })
    return written
  }

  /** Nobody is told of an update that changes nothing; what follows from one may still be missing, and is done. */
  async #leave(transaction: pg.ClientBase, origin: Origin, id: string): Promise<Written> {
    const current = await this.store.current(transaction, id)
    const { values } = current
    await this.afterWrite(transaction, origin, { type: 'updated', previous: values, next: values })
    return current
  }

  async #removeFrom(
    transaction: pg.ClientBase,
    origin: Origin,
    previous: Values
  ): Promise<Written> {
    const id = previous.id as string
    await this.inRemoval(transaction, origin, previous)
    await this.#removeParts(transaction, origin, id)
    const written = await this.store.remove(transaction, id)
    const change = { type: 'deleted', previous } as const
    await this.afterWrite(transaction, origin, change)
    await this.#record(transaction, origin, change)
    return written
  }

  async #removeParts(transaction: pg.ClientBase, origin: Origin, id: string): Promise<void> {
    const { kind, pool } = this
    await removeParts({ transaction, pool }, { kind, ids: [id] }, async (part, records) => {
      const changes = records.map((previous) =>
        changeOf(part, origin, { type: 'deleted', previous })
      )
      await this.afterPartsWent(transaction, origin, part, records)
      await recordAll(this.#sink, transaction, changes)
    })
  }

  /** Whoever hears of a write hears of it before what follows from it. */
  async #tell(transaction: pg.ClientBase, origin: Origin, change: WrittenChange): Promise<void> {
    await this.#record(transaction, origin, change)
    await this.afterWrite(transaction, origin, change)
  }

  #record(transaction: pg.ClientBase, origin: Origin, change: WrittenChange): Promise<void> {
    const told = changeOf(this.kind, origin, change)
    return tellInTurn(transaction, told.id, () => this.#sink.record(transaction, told))
  }

  #missing(): never {
    throw new EntityNotFound(this.kind.label)
  }
}
