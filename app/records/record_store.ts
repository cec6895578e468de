import type pg from 'pg'
import { LRUCache } from 'lru-cache'

import type { DatabasePool } from '#database/database_pool'
import type { DecodedQuery, Selection } from '#query/decode'
import { compileAmong, type AmongRow } from '#query/sql/among_statement'
import { compileList, type ListRow, type ReadOptions } from '#query/sql/list_statement'
import { compileRecord, type RecordRow } from '#query/sql/record_statement'
import { statement, type Statement } from '#query/sql/statement'
import { oncePer } from '#kernel/once_per'
import { columnOf, quoteName } from '#query/sql/identifiers'
import { writtenRecord } from '#query/sql/written_record'
import { fromStored, toStored, type Column } from './column.js'
import { DuplicateKey } from './duplicate_key.js'
import type { Kind } from './kind.js'
import type { ModelClass } from './model.js'
import { PreparedStatements } from './prepared_statements.js'
import type { Attributes, MutableAttributes, Row } from './row.js'

/** A written row: as JSON text for the caller, and as values for further processing. */
export interface WrittenRecord<M extends ModelClass = ModelClass> {
  readonly data: string
  readonly values: Row<M>
}

/** The columns to write. Omitted columns keep their value or get their default. */
export type RowValues<M extends ModelClass> = Partial<Row<M>>

/** The names of statements are those of the connections of a pool. */
const preparedIn = oncePer((_pool: DatabasePool) => new PreparedStatements())

/** Writes use few distinct combinations of attributes. */
const CACHED_TEXTS = 64

/** The SQL statements of one kind. Reads use the pool, writes the given transaction. */
export class RecordStore<M extends ModelClass = ModelClass> {
  readonly #kind: Kind<M>
  readonly #pool: DatabasePool
  readonly #prepared: PreparedStatements
  readonly #texts = new LRUCache<string, string>({ max: CACHED_TEXTS })
  readonly #table: string
  readonly #returning: string
  readonly #names: ReadonlyMap<string, string>
  readonly #sealed: readonly (readonly [string, Column])[]

  constructor(kind: Kind<M>, pool: DatabasePool) {
    this.#kind = kind
    this.#pool = pool
    this.#prepared = preparedIn(pool)
    this.#table = `${quoteName(kind.table)} as r`
    this.#returning = `returning ${writtenRecord(kind.declaration)} as data, to_jsonb(r) as row`
    this.#names = new Map(
      Object.entries(kind.columns).map(([name, column]) => [columnOf(name, column), name])
    )
    this.#sealed = Object.entries(kind.columns).filter(([, { sealedFor }]) => sealedFor)
  }

  async list(query: DecodedQuery, options: ReadOptions): Promise<ListRow> {
    const rows = await this.#run<ListRow>(compileList(this.#kind.declaration, query, options))
    return rows[0]!
  }

  /** The record as JSON text; undefined if it does not exist. */
  async read(id: string, selection: Selection, options: ReadOptions): Promise<string | undefined> {
    const reading = compileRecord(this.#kind.declaration, id, selection, options)
    const rows = reading ? await this.#run<RecordRow>(reading) : []
    return rows[0]?.data
  }

  /** The records among `ids` that match a query, as JSON text by id. */
  async among(
    ids: readonly string[],
    query: DecodedQuery,
    options: ReadOptions
  ): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) {
      return new Map()
    }
    const rows = await this.#run<AmongRow>(
      compileAmong(this.#kind.declaration, ids, query, options)
    )
    return new Map(rows.map(({ id, data }) => [id, data]))
  }

  async exists(id: string): Promise<boolean> {
    const text = `select 1 from ${this.#table} where r."id" = $1`
    const { rowCount } = await this.#pool.read({ text, values: [id] })
    return rowCount === 1
  }

  /** Locks the row until the transaction ends. */
  async lock(transaction: pg.ClientBase, id: string): Promise<Row<M> | undefined> {
    const text = `select to_jsonb(r) as row from ${this.#table} where r."id" = $1 for update`
    const locking = this.#prepared.prepare(statement(text, [id]))
    const { rows } = await transaction.query<{ row: Attributes }>(locking)
    return rows[0] && this.#fromRow(rows[0].row)
  }

  /** The current row in the form that a write returns. */
  async current(transaction: pg.ClientBase, id: string): Promise<WrittenRecord<M>> {
    const text = `select ${writtenRecord(this.#kind.declaration)} as data, to_jsonb(r) as row
      from ${this.#table} where r."id" = $1`
    return this.#write(transaction, text, [id])
  }

  async insert(transaction: pg.ClientBase, values: RowValues<M>): Promise<WrittenRecord<M>> {
    const text = this.#textFor('insert', Object.keys(values))
    const stored = this.#sealSecrets(values)
    return this.#writeKeyed(transaction, text, Object.values(stored), stored)
  }

  async update(
    transaction: pg.ClientBase,
    id: string,
    values: RowValues<M>
  ): Promise<WrittenRecord<M>> {
    const text = this.#textFor('update', Object.keys(values))
    const stored = this.#sealSecrets(values)
    return this.#writeKeyed(transaction, text, [id, ...Object.values(stored)], { id, ...stored })
  }

  async remove(transaction: pg.ClientBase, id: string): Promise<WrittenRecord<M>> {
    return this.#write(
      transaction,
      `delete from ${this.#table} where r."id" = $1 ${this.#returning}`,
      [id]
    )
  }

  /** Deletes records by id; returns those that existed. */
  async removeAll(transaction: pg.ClientBase, ids: readonly string[]): Promise<Row<M>[]> {
    const { rows } = await transaction.query<{ row: Attributes }>(
      `delete from ${this.#table} where r."id" = any($1::uuid[]) returning to_jsonb(r) as row`,
      [ids]
    )
    return rows.map(({ row }) => this.#fromRow(row))
  }

  async #run<Answer>(reading: Statement): Promise<Answer[]> {
    const { rows } = await this.#pool.read<Answer & pg.QueryResultRow>(
      this.#prepared.prepare(reading)
    )
    return rows
  }

  async #write(
    transaction: pg.ClientBase,
    text: string,
    values: unknown[]
  ): Promise<WrittenRecord<M>> {
    const writing = this.#prepared.prepare(statement(text, values))
    const { rows } = await transaction.query<{ data: string; row: Attributes }>(writing)
    const { data, row } = rows[0]!
    return { data, values: this.#fromRow(row) }
  }

  async #writeKeyed(
    transaction: pg.ClientBase,
    text: string,
    bindings: unknown[],
    sent: Attributes
  ): Promise<WrittenRecord<M>> {
    try {
      return await this.#write(transaction, text, bindings)
    } catch (error) {
      throw DuplicateKey.from(error, {
        table: this.#kind.table,
        values: new Map(Object.keys(sent).map((name) => [this.#columnOf(name), sent[name]])),
        names: this.#names,
      })
    }
  }

  #textFor(write: 'insert' | 'update', names: readonly string[]): string {
    const key = `${write} ${names.join()}`
    let text = this.#texts.get(key)
    if (text === undefined) {
      text = write === 'insert' ? this.#insertText(names) : this.#updateText(names)
      this.#texts.set(key, text)
    }
    return text
  }

  #insertText(names: readonly string[]): string {
    const columns = names.map((name) => this.#column(name)).join(', ')
    const placeholders = names.map((_, index) => `$${index + 1}`).join(', ')
    return `insert into ${this.#table} (${columns}) values (${placeholders}) ${this.#returning}`
  }

  #updateText(names: readonly string[]): string {
    const assignments = names.map((name, index) => `${this.#column(name)} = $${index + 2}`)
    const set = [...assignments, `"updated_at" = now()`].join(', ')
    return `update ${this.#table} set ${set} where r."id" = $1 ${this.#returning}`
  }

  #column(name: string): string {
    return quoteName(this.#columnOf(name))
  }

  #columnOf(name: string): string {
    return columnOf(name, this.#kind.columns[name]!)
  }

  /** A test checks that table and model have the same columns. */
  #fromRow(row: Attributes): Row<M> {
    const record: MutableAttributes = {}
    for (const column in row) {
      record[this.#names.get(column) ?? column] = row[column]
    }
    for (const [name, column] of this.#sealed) {
      record[name] = fromStored(column, record[name])
    }
    return record as Row<M>
  }

  /** Encrypts secret columns. Everywhere outside the database they are plain. */
  #sealSecrets(values: object): Attributes {
    const sealed = this.#sealed
      .filter(([name]) => name in values)
      .map(([name, column]) => [name, toStored(column, Reflect.get(values, name))])
    return sealed.length === 0 ? { ...values } : { ...values, ...Object.fromEntries(sealed) }
  }
}
