import { BaseSchema } from '@adonisjs/lucid/schema'

import { maintainGroupTotals, maintainTotals } from '#database/maintained_totals'
import { renameColumn, renameTable } from '#database/renames'
import { NO_REALM } from '#query/sql/maintained_total'

type Client = Parameters<Parameters<BaseSchema['defer']>[0]>[0]

interface MaintainedTable {
  readonly name: string
  readonly realm: string | null
  readonly hasGroups: boolean
}

/** The tables with maintained totals. */
const MAINTAINED = `
  select c.relname as name,
    (select split_part(encode(m.tgargs, 'escape'), '\\000', 2) from pg_trigger m
     where m.tgrelid = c.oid and m.tgname = c.relname || '_move_total') as realm,
    exists (select from pg_trigger g
     where g.tgrelid = c.oid and g.tgname = c.relname || '_regroup_total') as "hasGroups"
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where t.tgname = c.relname || '_raise_total'`

/** Names that the manual of PostgreSQL or RabbitMQ explains. Processes of earlier versions must have ended. */
export default class RenameToPlainWords extends BaseSchema {
  async up() {
    const statements = [
      ...renameColumn('adoption_runs', 'begun_at', 'started_at'),
      ...renameTable('adoptions', 'adopted_tables'),
      ...renameColumn('adopted_tables', 'list', 'table_name'),
      ...renameColumn('adopted_tables', 'place', 'position'),
      ...renameColumn('adopted_tables', 'through_at', 'completed_at'),
      ...renameColumn('adopted_rows', 'list', 'table_name'),
      ...renameColumn('adopted_rows', 'taken_at', 'adopted_at'),
      ...renameColumn('dead_letters', 'died_at', 'dead_lettered_at'),
      'alter index dead_letters_queue_died_at rename to dead_letters_queue_dead_lettered_at',
      ...renameColumn('record_totals', 'part', 'realm_id'),
      ...renameColumn('record_total_changes', 'part', 'realm_id'),
      ...renameColumn('record_total_changes', 'written_by', 'transaction_id'),
      'alter index record_total_changes_written rename to record_total_changes_transaction_id',
      ...renameTable('record_totals_added', 'record_totals_consolidated'),
      ...renameColumn('record_totals_consolidated', 'below', 'before_transaction_id'),
      'alter function record_totals_moved rename to record_totals_realm_changed',
      'alter function record_totals_emptied rename to record_totals_truncated',
      ON_REALM_CHANGED,
      ON_TRUNCATED,
    ]
    statements.forEach((statement) => this.schema.raw(statement))
    this.defer(renameTriggers)
  }
}

const ON_REALM_CHANGED = `
  create or replace function record_totals_realm_changed() returns trigger language plpgsql as $body$
  begin
    insert into record_total_changes (list, realm_id, change)
    select tg_argv[0], coalesce((changed.row ->> tg_argv[1])::uuid, '${NO_REALM}'), changed.change
    from (values (to_jsonb(old), -1), (to_jsonb(new), 1)) changed (row, change);
    return null;
  end $body$`

const ON_TRUNCATED = `
  create or replace function record_totals_truncated() returns trigger language plpgsql as $body$
  begin
    insert into record_total_changes (list, realm_id, change)
    select tg_table_name, realm_id, -sum(records)
    from (
      select realm_id, records from record_totals where list = tg_table_name
      union all
      select realm_id, change from record_total_changes where list = tg_table_name
    ) counted
    group by realm_id having sum(records) <> 0;
    return null;
  end $body$`

const FORMER_TRIGGERS = ['raise', 'lower', 'empty', 'move', 'regroup', 'ungroup']
const FORMER_FUNCTIONS = ['raise', 'lower', 'regroup', 'ungroup']

async function renameTriggers(client: Client): Promise<void> {
  const { rows } = (await client.rawQuery(MAINTAINED)) as { rows: MaintainedTable[] }
  for (const { name, realm, hasGroups } of rows) {
    const statements = [
      ...FORMER_TRIGGERS.map((use) => `drop trigger if exists "${name}_${use}_total" on "${name}"`),
      ...FORMER_FUNCTIONS.map((use) => `drop function if exists "${name}_${use}_total"`),
      ...maintainTotals(name, realm ?? undefined).filter(isDefinition),
      ...(hasGroups ? maintainGroupTotals(name, realm!).filter(isDefinition) : []),
    ]
    for (const statement of statements) {
      await client.rawQuery(statement)
    }
  }
}

/** The totals themselves stay. */
const isDefinition = (statement: string) => statement.startsWith('create')
