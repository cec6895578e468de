import type pg from 'pg'

import type { FormerDatabase } from '#adopt/former/former_database'
import { AdoptionRefused } from './adoption_refused.js'
import { OurRows } from '#adopt/rows/our_rows'
import { RowReader } from '#adopt/rows/row_reader'
import { RowWriter } from '#adopt/rows/row_writer'
import { shapeOf, type TableShape } from '#adopt/rows/table_shape'
import type { Transfer } from './transfer.js'

/** A table that is taken over, with what is needed for it on both sides. */
export interface Table {
  readonly transfer: Transfer
  readonly shape: TableShape
  /** Those of our columns that they have, too. */
  readonly readable: readonly string[]
  /** Columns of theirs that have no place here. */
  readonly unmappedColumns: readonly string[]
  /** Columns that they, in their version, do not have yet: these are empty. */
  readonly missingColumns: readonly string[]
  readonly theirs: RowReader
  readonly ours: RowReader
  readonly ourRows: OurRows
  readonly writer: RowWriter
}

/** What is read there to decide what to take, and is known here in another way. */
const READ_ONLY: Readonly<Record<string, readonly string[]>> = {
  messages: ['expires_at'],
  nodes: ['online'],
}

export async function openTable(
  transfer: Transfer,
  former: FormerDatabase,
  pool: pg.Pool,
  zone: string
): Promise<Table> {
  const { table, columns, derived = [] } = transfer
  const shape = await shapeOf(pool, table)
  const theirColumns = await former.columnsOf(table)
  if (theirColumns.length === 0) {
    throw new AdoptionRefused(
      `The former database of ${transfer.service} has no table ${table}: look whether it is that of another service`
    )
  }
  if (shape.columns.size === 0) {
    throw new AdoptionRefused(
      `There is no table ${table} here yet: run "node ace hub:migrate" first`
    )
  }
  const wanted = [...columns, ...derived]
  const missingColumns = wanted.filter((name) => !theirColumns.includes(name))
  const required = missingColumns.filter(
    (name) => columns.includes(name) && !shape.columns.get(name)!.isNullable
  )
  if (required.length > 0) {
    throw new AdoptionRefused(
      `The former table ${table} has no ${required.join(', ')}: bring the former platform up to date first, its own migrations do that at its start`
    )
  }
  const known = [...wanted, ...(READ_ONLY[table] ?? [])]
  const ours = new RowReader(transfer, shape)
  const ourRows = new OurRows(transfer, shape.columns)
  return {
    transfer,
    shape,
    readable: wanted.filter((name) => theirColumns.includes(name)),
    unmappedColumns: theirColumns.filter((name) => !known.includes(name)),
    missingColumns,
    theirs: new RowReader(transfer, shape, zone),
    ours,
    ourRows,
    writer: new RowWriter(transfer, shape, ours, ourRows),
  }
}
