import { to } from 'pg-copy-streams'

import type { BackupClient } from '#backup/backup_client'
import type { BackupStore } from '#backup/backup_store'
import type { DatabasePart, TablePart } from '#backup/manifest'
import { pack } from '#backup/pack'
import type { Snapshot } from './snapshot.js'
import { tablesToCopy, type TableToCopy } from './table_list.js'

export interface BackupContext {
  readonly backupStore: BackupStore
  /** Prefix of the parts of this run. */
  readonly prefix: string
  readonly signal: AbortSignal
  readonly progress: (text: string) => void
}

const MIGRATIONS = `
  select c.relname as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    and c.relname like '%\\_migrations' order by c.relname`

/** Sequences are not transactional: read after the snapshot, no value is behind its rows. */
const SEQUENCES = `
  select sequencename::text as name, last_value::text as last from pg_sequences
  where schemaname = current_schema() and last_value is not null
    and sequencename not like '%\\_migrations\\_%'`

/** Copies all tables of a snapshot concurrently. */
export async function takeTables(
  snapshot: Snapshot,
  context: BackupContext
): Promise<DatabasePart> {
  const { surfaces, leader } = snapshot
  const migrations = await migrationsOf(leader)
  const queue = await tablesToCopy(leader)
  const sequences = await leader.query<{ name: string; last: string }>(SEQUENCES)
  const parts: TablePart[] = []
  const takeQueued = async (client: BackupClient) => {
    for (let table = queue.shift(); table; table = queue.shift()) {
      context.progress(`table ${table.name}`)
      parts.push(
        await takeTable(client, table, { ...context, prefix: `${context.prefix}${surfaces[0]}.` })
      )
    }
  }
  await Promise.all(snapshot.clients.map(takeQueued))
  return {
    surfaces,
    migrations,
    tables: parts.toSorted((a, b) => (a.table < b.table ? -1 : 1)),
    sequences: Object.fromEntries(sequences.rows.map(({ name, last }) => [name, last])),
  }
}

async function takeTable(
  client: BackupClient,
  { name, columns, source }: TableToCopy,
  { backupStore, prefix, signal }: BackupContext
): Promise<TablePart> {
  const part = `${prefix}${name}.zst`
  const copy = client.query(to(`copy ${source} to stdout`))
  const content = await pack(backupStore, part, copy, signal)
  // The row count arrives after the last row, before the next result.
  await client.query('select 1')
  return { table: name, columns, rows: copy.rowCount, part, ...content }
}

async function migrationsOf(leader: BackupClient): Promise<Record<string, string[]>> {
  const tables = await leader.query<{ name: string }>(MIGRATIONS)
  const made: Record<string, string[]> = {}
  for (const { name } of tables.rows) {
    const { rows } = await leader.query<{ name: string }>(`select name from ${name} order by id`)
    made[name] = rows.map((row) => row.name)
  }
  return made
}
