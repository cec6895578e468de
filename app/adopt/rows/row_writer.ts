import type pg from 'pg'

import type { Transfer, Value } from '#adopt/transfer'
import { seal } from '#records/sealing'
import type { OurRows } from './our_rows.js'
import { isMismatch, type ValidRow, type RowReader } from './row_reader.js'
import type { TableShape } from './table_shape.js'

export interface WriteCounts {
  readonly taken: number
  readonly updated: number
}

const NEVER_TAKEN = (table: string) =>
  `not exists (select from adopted_rows a where a.table_name = '${table}' and a.id = g.id)`

/**
 * Inserts rows that were never copied, and updates rows that changed at the source but not here. Leaves all others
 * alone.
 */
export class RowWriter {
  readonly #transfer: Transfer
  readonly #shape: TableShape
  readonly #reader: RowReader
  readonly #ours: OurRows

  constructor(transfer: Transfer, shape: TableShape, reader: RowReader, ours: OurRows) {
    this.#transfer = transfer
    this.#shape = shape
    this.#reader = reader
    this.#ours = ours
  }

  async write(transaction: pg.ClientBase, rows: readonly ValidRow[]): Promise<WriteCounts> {
    const taken = await this.#insert(transaction, rows)
    const rest = rows.filter(({ id }) => !taken.has(id))
    const updated = this.#transfer.isFixed ? [] : await this.#changed(transaction, rest)
    return { taken: taken.size, updated: await this.#update(transaction, updated) }
  }

  /** The copied rows that changed at the source and are unchanged here. */
  async #changed(transaction: pg.ClientBase, rows: readonly ValidRow[]): Promise<ValidRow[]> {
    const digests = await this.#ours.takenDigests(
      transaction,
      rows.map(({ id }) => id)
    )
    const other = rows.filter((row) => digests.has(row.id) && digests.get(row.id) !== row.digest)
    const here = await this.#ours.withIds(
      transaction,
      other.map(({ id }) => id)
    )
    return other.filter(({ id }) => {
      const ours = here.get(id)
      const read = ours && this.#reader.read(ours)
      return read && !isMismatch(read) && read.digest === digests.get(id)
    })
  }

  /** Skips rows that were copied before, whose parents are missing, or whose keys are in use. */
  async #insert(
    transaction: pg.ClientBase,
    rows: readonly ValidRow[]
  ): Promise<ReadonlySet<string>> {
    if (rows.length === 0) {
      return new Set()
    }
    const { table, computed = {} } = this.#transfer
    const names = [...this.#columnNames, ...Object.keys(computed)]
    const derived = new Set(this.#transfer.derived)
    const values = [
      ...this.#columnNames.map((name) =>
        derived.has(name) ? `coalesce(g.${name}, 0)` : `g.${name}`
      ),
      ...Object.values(computed),
    ]
    const parents = this.#shape.references
      .filter(({ column }) => this.#columnNames.includes(column))
      .map(
        (to) =>
          `(g.${to.column} is null or exists (select from ${to.table} p where p.id = g.${to.column}))`
      )
    const { rows: inserted } = await transaction.query<{ id: string }>(
      `with given as materialized (${this.#recordset}), inserted as (
         insert into ${table} (${names.join()}) select ${values.join()} from given g
         where ${[NEVER_TAKEN(table), ...parents].join(' and ')} order by g.row_place
         on conflict do nothing returning id
       ), noted as (
         insert into adopted_rows (table_name, id, digest)
         select '${table}', i.id, decode(g.row_digest, 'hex') from inserted i join given g on g.id = i.id
       )
       select id from inserted`,
      [this.#json(rows)]
    )
    const ids = new Set(inserted.map(({ id }) => id))
    const taken = rows.filter(({ id }) => ids.has(id))
    if (taken.length > 0) {
      await this.#transfer.afterInsert?.(
        transaction,
        taken.map(({ values: row }) => row)
      )
    }
    return ids
  }

  /** Updates all rows, or, on constraint violations, as many as possible. */
  async #update(transaction: pg.ClientBase, rows: readonly ValidRow[]): Promise<number> {
    if (rows.length === 0) {
      return 0
    }
    await transaction.query('savepoint following')
    try {
      await this.#updateAll(transaction, rows)
      return rows.length
    } catch (error) {
      if (!String((error as { code?: string }).code).startsWith('23')) {
        throw error
      }
      await transaction.query('rollback to savepoint following')
    }
    const halves =
      rows.length === 1 ? [] : [rows.slice(0, rows.length / 2), rows.slice(rows.length / 2)]
    let updated = 0
    for (const half of halves) {
      updated += await this.#update(transaction, half)
    }
    return updated
  }

  async #updateAll(transaction: pg.ClientBase, rows: readonly ValidRow[]): Promise<void> {
    const { table, columns } = this.#transfer
    const changes = columns.filter((name) => name !== 'id').map((name) => `${name} = g.${name}`)
    await transaction.query(
      `with given as materialized (${this.#recordset}), changed as (
         update ${table} t set ${changes.join()} from given g where t.id = g.id
       )
       update adopted_rows a set digest = decode(g.row_digest, 'hex'), adopted_at = now()
       from given g where a.table_name = '${table}' and a.id = g.id`,
      [this.#json(rows)]
    )
  }

  get #columnNames(): readonly string[] {
    return [...this.#transfer.columns, ...(this.#transfer.derived ?? [])]
  }

  get #recordset(): string {
    const types = this.#columnNames.map(
      (name) => `${name} ${this.#shape.columns.get(name)!.sqlType}`
    )
    return `select * from json_to_recordset($1::json) as r(${types.join()}, row_digest text, row_place integer)`
  }

  #json(rows: readonly ValidRow[]): string {
    const { secrets = {} } = this.#transfer
    return JSON.stringify(
      rows.map(({ values, digest }, place) => {
        const sealed: Record<string, Value> = {}
        for (const [name, purpose] of Object.entries(secrets)) {
          const secret = values[name]
          sealed[name] = typeof secret === 'string' ? seal(purpose, secret) : null
        }
        return { ...values, ...sealed, row_digest: digest, row_place: place }
      })
    )
  }
}
