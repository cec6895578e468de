import type pg from 'pg'

import { inTransaction } from '#records/transaction'
import { isMismatch } from '#adopt/rows/row_reader'
import type { Recorder } from './findings.js'
import type { Table } from './table.js'

const AT_ONCE = 500

/** Reported if records that were made here, or changed here, refer to a row that was deleted at the source. */
const STILL_NEEDED =
  'was removed in the source, but records here refer to it: remove them here, or pass --keep-deleted'

const CHANGED = 'was removed in the source, but changed here meanwhile: run the command again'

/** References that would take their rows along, or prevent the delete. */
const REFERENCES = `select conrelid::regclass::text as table, a.attname as column, confdeltype as "onDelete"
  from pg_constraint join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
  where contype = 'f' and confrelid = to_regclass($1) and confdeltype in ('a', 'r', 'c')`

interface ReferenceTo {
  readonly table: string
  readonly column: string
  readonly onDelete: 'a' | 'r' | 'c'
}

interface RemovalOptions {
  readonly pool: pg.Pool
  readonly signal: AbortSignal
  /** The adopted tables of the service. What the platform derives from a row goes with it. */
  readonly adopted: ReadonlySet<string>
  readonly refuse: Recorder
}

/**
 * Removes rows that were deleted at the source. Each is read again under a lock: a row that changed, or that an adopted
 * table refers to, stays. Dependents must have been removed before.
 */
export async function removeDeleted(
  { transfer, ours, ourRows }: Table,
  ids: readonly string[],
  { pool, signal, adopted, refuse }: RemovalOptions
): Promise<number> {
  const { table } = transfer
  const { rows: references } = await pool.query<ReferenceTo>(REFERENCES, [table])
  const guards = references.filter(
    ({ onDelete, table: other }) => onDelete !== 'c' || adopted.has(other)
  )
  let removed = 0
  for (let at = 0; at < ids.length && !signal.aborted; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE)
    removed += await inTransaction(pool, async (transaction) => {
      await transaction.query(`select from ${table} where id = any($1::uuid[]) for update`, [some])
      const taken = await ourRows.takenDigests(transaction, some)
      const here = await ourRows.withIds(transaction, some)
      const needed = await referredTo(transaction, guards, some)
      const removable = some.filter((id) => {
        const texts = here.get(id)
        const read = texts && ours.read(texts)
        const isUnchanged = read && !isMismatch(read) && read.digest === taken.get(id)
        if (texts && (!isUnchanged || needed.has(id))) {
          refuse(isUnchanged ? STILL_NEEDED : CHANGED, id)
        }
        return isUnchanged && !needed.has(id)
      })
      await transaction.query(`delete from ${table} where id = any($1::uuid[])`, [removable])
      await transaction.query(
        'delete from adopted_rows where table_name = $1 and id = any($2::uuid[])',
        [table, removable]
      )
      return removable.length
    })
  }
  return removed
}

async function referredTo(
  transaction: pg.ClientBase,
  references: readonly ReferenceTo[],
  ids: readonly string[]
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { table, column } of references) {
    const { rows } = await transaction.query<{ id: string }>(
      `select distinct ${column} as id from ${table} where ${column} = any($1::uuid[])`,
      [ids]
    )
    rows.forEach(({ id }) => found.add(id))
  }
  return found
}
