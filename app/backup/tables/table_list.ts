import type pg from 'pg'

import { RESTORATION } from '#database/restoration'

export interface TableToCopy {
  readonly name: string
  readonly columns: readonly string[]
  /** The query to copy. */
  readonly source: string
}

/** Tables that a restored installation cannot use. */
const EXCLUDED = new Set([
  // Uploads in progress: their parts are in the object store under names it assigned.
  'bucket_file_claims',
  'resumable_uploads',
  // Valid for a minute.
  'identity_authorization_codes',
  // Refer to transaction IDs of the server. The totals are copied with pending changes added.
  'record_total_changes',
  'record_totals_consolidated',
  // About the installation that they were taken from.
  'backups',
  RESTORATION,
])

const MIGRATION_TABLE = /_migrations(_versions)?$/

/** Current totals, including pending changes. */
const SOURCES: Readonly<Record<string, string>> = {
  record_totals: `(select list, realm_id, sum(records)::bigint as records from (
      select list, realm_id, records from record_totals
      union all select list, realm_id, change from record_total_changes) noted group by list, realm_id)`,
}

const TABLES = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition and c.relpersistence = 'p'
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  group by c.oid, c.relname order by pg_total_relation_size(c.oid) desc, c.relname`

/** The tables to copy, largest first. */
export async function tablesToCopy(client: pg.ClientBase): Promise<TableToCopy[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(TABLES)
  return rows
    .filter(({ name }) => isIncluded(name))
    .map(({ name, columns }) => toCopy(name, columns))
}

export const isIncluded = (table: string): boolean =>
  !EXCLUDED.has(table) && !MIGRATION_TABLE.test(table)

function toCopy(name: string, columns: readonly string[]): TableToCopy {
  const listed = columnList(columns)
  const from = SOURCES[name] ?? quoted(name)
  return { name, columns, source: `(select ${listed} from ${from} taken)` }
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const columnList = (columns: readonly string[]): string => columns.map(quoted).join(', ')
