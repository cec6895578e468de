import { BaseSchema } from '@adonisjs/lucid/schema'

import { NO_REALM } from '#query/sql/maintained_total'

/**
 * How many records each list has, by realm. What a transaction changes of that is a row of its own, so that writers do not wait
 * for each other; a sweep adds these up. `written_by` lets readers pass over those that were added up already and are still in the
 * way, because somebody reads the database as it was before.
 */
export default class CreateRecordTotals extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table record_totals (
        list text collate "C" not null,
        part uuid not null,
        records bigint not null,
        primary key (list, part)
      ) with (fillfactor = 50)`)
    this.schema.raw(`
      create table record_total_changes (
        list text collate "C" not null,
        part uuid not null,
        change bigint not null,
        written_by xid8 not null default pg_current_xact_id()
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`)
    this.schema.raw(
      'create index record_total_changes_list on record_total_changes (list, written_by)'
    )
    this.schema.raw('create table record_totals_added (below xid8 not null)')
    this.schema.raw(`insert into record_totals_added values ('0')`)
    this.schema.raw(`
      create function record_totals_moved() returns trigger language plpgsql as $body$
      begin
        insert into record_total_changes (list, part, change)
        select tg_argv[0], coalesce((moved.row ->> tg_argv[1])::uuid, '${NO_REALM}'), moved.change
        from (values (to_jsonb(old), -1), (to_jsonb(new), 1)) moved (row, change);
        return null;
      end $body$`)
    this.schema.raw(`
      create function record_totals_emptied() returns trigger language plpgsql as $body$
      begin
        insert into record_total_changes (list, part, change)
        select tg_table_name, part, -sum(records)
        from (
          select part, records from record_totals where list = tg_table_name
          union all
          select part, change from record_total_changes where list = tg_table_name
        ) kept
        group by part having sum(records) <> 0;
        return null;
      end $body$`)
  }

  async down() {
    this.schema.raw('drop function record_totals_emptied')
    this.schema.raw('drop function record_totals_moved')
    this.schema.dropTable('record_totals_added')
    this.schema.dropTable('record_total_changes')
    this.schema.dropTable('record_totals')
  }
}
