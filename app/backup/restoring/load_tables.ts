import { from } from 'pg-copy-streams'

import type { BackupClient } from '#backup/backup_client'
import type { BackupStore } from '#backup/backup_store'
import { BackupDamaged } from '#backup/errors'
import type { DatabasePart, TablePart } from '#backup/manifest'
import { unpack } from '#backup/pack'
import { columnList, quoted } from '#backup/tables/table_list'
import { withoutConstraints } from './without_constraints.js'
import { markLoaded } from './restoration_mark.js'

/** From this number of rows on, indexes are created after loading. */
const LARGE_ROWS = 10_000

export interface RestoreContext {
  readonly backupStore: BackupStore
  readonly signal: AbortSignal
  readonly progress: (text: string) => void
}

/** Loads the rows of a database in one transaction. */
export async function loadTables(
  client: BackupClient,
  { tables, sequences }: DatabasePart,
  context: RestoreContext
): Promise<void> {
  await client.query('begin')
  await client.query(`set local maintenance_work_mem = '256MB'`)
  const large = tables.filter(({ rows }) => rows >= LARGE_ROWS).map(({ table }) => table)
  await withoutConstraints(client, { large, progress: context.progress }, async () => {
    for (const table of tables) {
      context.progress(`table ${table.table}`)
      await loadTable(client, table, context)
    }
  })
  for (const [name, last] of Object.entries(sequences)) {
    await client.query('select setval($1::regclass, $2::bigint)', [quoted(name), last])
  }
  await markLoaded(client)
  context.signal.throwIfAborted()
  await client.query('commit')
  context.progress('statistics of tables')
  await client.query('analyze')
}

/** Replaces rows that migrations inserted. */
async function loadTable(
  client: BackupClient,
  { table, columns, rows, part, ...content }: TablePart,
  { backupStore, signal }: RestoreContext
): Promise<void> {
  await client.query(`delete from ${quoted(table)}`)
  const copy = client.query(from(`copy ${quoted(table)} (${columnList(columns)}) from stdin`))
  await unpack(backupStore, part, content, copy, signal)
  if (copy.rowCount !== rows) {
    throw new BackupDamaged(part, `expected ${rows} rows, got ${copy.rowCount}`)
  }
}
