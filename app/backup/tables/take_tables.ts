import { to } from 'pg-copy-streams'

import type { BackupClient } from '#backup/backup_client'
import type { BackupPlace } from '#backup/backup_place'
import type { DatabasePart, TablePart } from '#backup/manifest'
import { pack } from '#backup/packed'
import type { Snapshot } from './snapshot.js'
import { tablesToTake, type TableToTake } from './table_list.js'

export interface Taking {
  readonly place: BackupPlace
  /** What the names of the parts of this run begin with. */
  readonly prefix: string
  readonly signal: AbortSignal
  readonly progress: (said: string) => void
}

const MIGRATIONS = `
  select c.relname as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    and c.relname like '%\\_migrations' order by c.relname`

/** Numbers are given out past any transaction: asked after the snapshot was taken, none is lower than what is in it. */
const SEQUENCES = `
  select sequencename::text as name, last_value::text as last from pg_sequences
  where schemaname = current_schema() and last_value is not null
    and sequencename not like '%\\_migrations\\_%'`

/** Takes all tables of a database as they are in the snapshot, a few at a time. */
export async function takeTables(snapshot: Snapshot, taking: Taking): Promise<DatabasePart> {
  const { surfaces, leader } = snapshot
  const migrations = await migrationsOf(leader)
  const waiting = await tablesToTake(leader)
  const sequences = await leader.query<{ name: string; last: string }>(SEQUENCES)
  const taken: TablePart[] = []
  const takeWaiting = async (client: BackupClient) => {
    for (let table = waiting.shift(); table; table = waiting.shift()) {
      taking.progress(`table ${table.name}`)
      taken.push(
        await takeTable(client, table, { ...taking, prefix: `${taking.prefix}${surfaces[0]}.` })
      )
    }
  }
  await Promise.all(snapshot.clients.map(takeWaiting))
  return {
    surfaces,
    migrations,
    tables: taken.toSorted((a, b) => (a.table < b.table ? -1 : 1)),
    sequences: Object.fromEntries(sequences.rows.map(({ name, last }) => [name, last])),
  }
}

async function takeTable(
  client: BackupClient,
  { name, columns, source }: TableToTake,
  { place, prefix, signal }: Taking
): Promise<TablePart> {
  const part = `${prefix}${name}.zst`
  const copy = client.query(to(`copy ${source} to stdout`))
  const content = await pack(place, part, copy, signal)
  // The number of rows comes after the last of them, before the next answer.
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
