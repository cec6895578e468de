import { from } from 'pg-copy-streams'

import type { BackupClient } from '#backup/backup_client'
import type { BackupPlace } from '#backup/backup_place'
import { BackupDamaged } from '#backup/errors'
import type { DatabasePart, TablePart } from '#backup/manifest'
import { unpack } from '#backup/packed'
import { columnList, quoted } from '#backup/tables/table_list'
import { withAllLaidAside } from './laid_aside.js'
import { noteLoaded } from './mark.js'

/** From so many rows on, it is quicker to make indexes afterwards. */
const LARGE_ROWS = 10_000

export interface Restoring {
  readonly place: BackupPlace
  readonly signal: AbortSignal
  readonly progress: (said: string) => void
}

/** Brings the rows of a database back in one transaction: until it ends there are none. */
export async function loadTables(
  client: BackupClient,
  { tables, sequences }: DatabasePart,
  restoring: Restoring
): Promise<void> {
  await client.query('begin')
  await client.query(`set local maintenance_work_mem = '256MB'`)
  const large = tables.filter(({ rows }) => rows >= LARGE_ROWS).map(({ table }) => table)
  await withAllLaidAside(client, { large, progress: restoring.progress }, async () => {
    for (const table of tables) {
      restoring.progress(`table ${table.table}`)
      await loadTable(client, table, restoring)
    }
  })
  for (const [name, last] of Object.entries(sequences)) {
    await client.query('select setval($1::regclass, $2::bigint)', [quoted(name), last])
  }
  await noteLoaded(client)
  restoring.signal.throwIfAborted()
  await client.query('commit')
  restoring.progress('statistics of tables')
  await client.query('analyze')
}

/** What a migration has put there is among the rows of the backup, as it was last. */
async function loadTable(
  client: BackupClient,
  { table, columns, rows, part, ...content }: TablePart,
  { place, signal }: Restoring
): Promise<void> {
  await client.query(`delete from ${quoted(table)}`)
  const copy = client.query(from(`copy ${quoted(table)} (${columnList(columns)}) from stdin`))
  await unpack(place, part, content, copy, signal)
  if (copy.rowCount !== rows) {
    throw new BackupDamaged(part, `it should have ${rows} rows, and has ${copy.rowCount}`)
  }
}
