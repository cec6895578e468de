import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { enforce, type Access } from '#http/access'
import type { Actor } from '#http/actor'
import { EntityNotFound, RelationInvalid } from '#http/failures'
import { issue } from '#http/issues'
import type { Condition } from '#query/condition'
import type { DecodedQuery, Selection } from '#query/decode'
import type { ListRow, ReadOptions } from '#query/sql/list_statement'
import type { ChangeType, EventSink, Origin } from '#records/events'
import type { Kind, Values } from '#records/kind'
import { requireRealm } from '#records/realm'
import { asksForSecrets, revealTo } from '#records/secrets'
import { RecordStore, type Written } from '#records/record_store'
import { inTransaction } from '#records/transaction'
import { clock } from '#runtime/clock'

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export interface RecordServiceOptions {
  pool: DatabasePool
  sink: EventSink
}

/**
 * What can be done with the records of a kind. A kind that does more extends this class and says only what is different.
 */
export class RecordService {
  protected readonly store: RecordStore
  readonly #pool: DatabasePool
  readonly #sink: EventSink

  constructor(
    readonly kind: Kind,
    { pool, sink }: RecordServiceOptions
  ) {
    this.store = new RecordStore(kind, pool)
    this.#pool = pool
    this.#sink = sink
  }

  async list(actor: Actor, query: DecodedQuery): Promise<ListRow> {
    enforce(this.kind.access.read, actor)
    return this.store.list(query, this.#readOptions(actor, query.selection))
  }

  async read(actor: Actor, id: string, selection: Selection): Promise<string> {
    enforce(this.kind.access.read, actor)
    const record = await this.store.read(id, selection, this.#readOptions(actor, selection))
    return record ?? this.#missing()
  }

  async create(origin: Origin, body: Values): Promise<string> {
    enforce(this.#needed('create'), origin.actor)
    await this.#requireRelations(body)
    const values = await this.prepareCreation(origin, body)
    const { data } = await inTransaction(this.#pool, async (transaction) => {
      const written = await this.store.insert(transaction, { id: clock.uuid(), ...values })
      await this.#report(transaction, 'created', origin, undefined, written.values)
      return written
    })
    return data
  }

  async update(origin: Origin, id: string, body: Values): Promise<string> {
    enforce(this.#needed('update'), origin.actor)
    await this.#requireRelations(body)
    const { data } = await this.#change(origin, id, async (transaction, previous) => {
      const values = await this.prepareUpdate(origin, previous, body)
      const written = await this.store.update(transaction, id, values)
      await this.#report(transaction, 'updated', origin, previous, written.values)
      return written
    })
    return data
  }

  async remove(origin: Origin, id: string): Promise<string> {
    enforce(this.#needed('remove'), origin.actor)
    const { data } = await this.#change(origin, id, async (transaction, previous) => {
      const written = await this.store.remove(transaction, id)
      await this.#report(transaction, 'deleted', origin, previous, undefined)
      return written
    })
    return data
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

  /** What is stored for a record that is there, made of what was sent. */
  protected async prepareUpdate(_origin: Origin, _previous: Values, body: Values): Promise<Values> {
    return body
  }

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

  #readOptions(actor: Actor, selection: Selection): ReadOptions {
    const where = this.visible(actor)
    const secrets = asksForSecrets(this.kind.declaration, selection)
    return { ...(where.length > 0 && { where }), ...(secrets && { reveal: revealTo(actor) }) }
  }

  async #change(
    { actor }: Origin,
    id: string,
    change: (transaction: pg.ClientBase, previous: Values) => Promise<Written>
  ): Promise<Written> {
    if (!UUID.test(id)) {
      return this.#missing()
    }
    return inTransaction(this.#pool, async (transaction) => {
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
        const found = await new RecordStore(to(), this.#pool).exists(body[by] as string)
        return found ? [] : [issue('value_invalid', [by], `No ${to().label} has this id`)]
      })
    )
    const issues = dangling.flat()
    if (issues.length > 0) {
      throw new RelationInvalid('The body names a record that does not exist', { issues })
    }
  }

  #report(
    transaction: pg.ClientBase,
    type: ChangeType,
    origin: Origin,
    previous: Values | undefined,
    next: Values | undefined
  ): Promise<void> {
    const record = (next ?? previous)!
    const { realm } = this.kind
    return this.#sink.record(transaction, {
      kind: this.kind.name,
      type,
      id: record.id as string,
      realmId: realm === undefined ? null : (record[realm] as string | null),
      origin,
      previous: previous && this.#withoutSecrets(previous),
      next: next && this.#withoutSecrets(next),
    })
  }

  #withoutSecrets(values: Values): Values {
    const { secrets } = this.kind
    return Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.includes(name)))
  }

  #missing(): never {
    throw new EntityNotFound(this.kind.label)
  }
}
