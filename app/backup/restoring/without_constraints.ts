import type { BackupClient } from '#backup/backup_client'
import { quoted } from '#backup/tables/table_list'

interface Definition {
  readonly table: string
  readonly name: string
  readonly definition: string
}

interface BulkLoadOptions {
  /** Tables whose indexes are dropped for loading. */
  readonly large: readonly string[]
  readonly progress: (text: string) => void
}

const FOREIGN_KEYS = `
  select c.conrelid::regclass::text as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
  from pg_constraint c
  where c.connamespace = current_schema()::regnamespace and c.contype = 'f' and c.conparentid = 0
  order by 1, 2`

const INDEXES = `
  select i.indrelid::regclass::text as table, c.relname as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = current_schema()::regnamespace and not c.relispartition
    and i.indrelid = any (select quote_ident(name)::regclass from unnest($1::text[]) name)
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  order by 1, 2`

const TRIGGERS = `
  select distinct t.tgrelid::regclass::text as table from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and t.tgenabled = 'O'`

/**
 * Drops foreign keys and indexes and disables triggers while rows are loaded, then creates them again. This is faster
 * and needs no order of tables, and the backup already contains what triggers would write. The owner of the tables has
 * the permissions.
 */
export async function withoutConstraints(
  client: BackupClient,
  { large, progress }: BulkLoadOptions,
  load: () => Promise<void>
): Promise<void> {
  const { rows: keys } = await client.query<Definition>(FOREIGN_KEYS)
  const { rows: indexes } = await client.query<Definition>(INDEXES, [large])
  const { rows: triggers } = await client.query<{ table: string }>(TRIGGERS)
  for (const { table, name } of keys) {
    await client.query(`alter table ${table} drop constraint ${quoted(name)}`)
  }
  for (const { name } of indexes) {
    await client.query(`drop index ${quoted(name)}`)
  }
  for (const { table } of triggers) {
    await client.query(`alter table ${table} disable trigger user`)
  }
  await load()
  for (const { name, definition } of indexes) {
    progress(`index ${name}`)
    await client.query(definition)
  }
  for (const { table, name, definition } of keys) {
    progress(`foreign key ${name}`)
    await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`)
  }
  for (const { table } of triggers) {
    await client.query(`alter table ${table} enable trigger user`)
  }
}
