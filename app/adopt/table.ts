import type pg from 'pg'

import type { FormerDatabase } from '#adopt/former/former_database'
import { AdoptionRefused } from './adoption_refused.js'
import { OurRows } from '#adopt/rows/our_rows'
import { RowReader } from '#adopt/rows/row_reader'
import { RowWriter } from '#adopt/rows/row_writer'
import { shapeOf, type TableShape } from '#adopt/rows/table_shape'
import type { Transfer } from './transfer.js'

/** A table with its readers and writer. */
export interface Table {
  readonly transfer: Transfer
  readonly shape: TableShape
  /** Our columns that the source has too. */
  readonly readable: readonly string[]
  /** Source columns without a counterpart here. */
  readonly unmappedColumns: readonly string[]
  /** Our columns that the version of the source does not have. They stay empty. */
  readonly missingColumns: readonly string[]
  readonly theirs: RowReader
  readonly ours: RowReader
  readonly ourRows: OurRows
  readonly writer: RowWriter
}

/** Source columns used for filtering only. */
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
      `The former database of ${transfer.service} has no table ${table}: check that the address is not that of another service`
    )
  }
  if (shape.columns.size === 0) {
    throw new AdoptionRefused(
      `Table ${table} does not exist here: run "node ace hub:migrate" first`
    )
  }
  const wanted = [...columns, ...derived]
  const missingColumns = wanted.filter((name) => !theirColumns.includes(name))
  const required = missingColumns.filter(
    (name) => columns.includes(name) && !shape.columns.get(name)!.isNullable
  )
  if (required.length > 0) {
    throw new AdoptionRefused(
      `The former table ${table} has no ${required.join(', ')}: update the former platform first; it migrates its database on start`
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
