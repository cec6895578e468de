import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'
import { NO_REALM } from '#query/sql/maintained_total'

export default class CreateBus extends BaseSchema {
  async up() {
    const statements = [...MESSAGES, ...TOTALS, ...ADOPTIONS]
    statements.forEach((statement) => this.schema.raw(statement))
  }
}

const MESSAGES = [
  `create table outbox (
    position bigint generated always as identity primary key,
    written_at timestamptz(3) not null default clock_timestamp(),
    pending smallint not null, message_id varchar(21) not null,
    ordered_by text not null, queue text, content json not null
  )`,

  `create table inbox (
    consumer text not null, message_id text not null,
    attempts integer not null default 0, done_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    primary key (consumer, message_id)
  )`,
  ...index.plain('inbox', 'created_at'),

  `create table dead_letters (
    id text primary key,
    queue text not null, message_id text, type text, reason text not null,
    attempts integer not null, body bytea not null,
    dead_lettered_at timestamptz(3) not null default now(),
    unique (queue, message_id)
  )`,
  `create index dead_letters_queue_dead_lettered_at
    on dead_letters (queue, dead_lettered_at, id)`,
]

/**
 * How many records each list has, by realm. What a transaction changes is a row of its own, so that writers do not wait
 * for each other; a sweep consolidates them. `transaction_id` lets readers skip changes that were consolidated already
 * and are still there, because an old snapshot needs them. Only the changes of the last seconds are read, so that the
 * index has the transaction alone: with the list it costs each write more.
 */
const TOTALS = [
  `create table record_totals (
    list text collate "C" not null, realm_id uuid not null,
    records bigint not null,
    primary key (list, realm_id)
  ) with (fillfactor = 50)`,

  `create table record_total_changes (
    list text collate "C" not null, realm_id uuid not null,
    change bigint not null,
    transaction_id xid8 not null default pg_current_xact_id()
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
  ...index.plain('record_total_changes', 'transaction_id'),

  'create table record_totals_consolidated (before_transaction_id xid8 not null)',
  `insert into record_totals_consolidated values ('0')`,

  `create function record_totals_realm_changed() returns trigger language plpgsql as $body$
  begin
    insert into record_total_changes (list, realm_id, change)
    select tg_argv[0], coalesce((changed.row ->> tg_argv[1])::uuid, '${NO_REALM}'), changed.change
    from (values (to_jsonb(old), -1), (to_jsonb(new), 1)) changed (row, change);
    return null;
  end $body$`,

  `create function record_totals_truncated() returns trigger language plpgsql as $body$
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
  end $body$`,
]

/**
 * What was adopted from the former platform: the position in each table, and the digest of each row when it was adopted.
 * Only rows that are unchanged since follow their source.
 */
const ADOPTIONS = [
  `create table adoption_runs (
    surface text primary key,
    is_open boolean not null default true,
    started_at timestamptz(3) not null default now(), ended_at timestamptz(3)
  )`,

  `create table adopted_tables (
    table_name text collate "C" primary key,
    position jsonb, completed_at timestamptz(3)
  )`,

  `create table adopted_rows (
    table_name text collate "C" not null, id uuid not null,
    digest bytea not null, adopted_at timestamptz(3) not null default now(),
    primary key (table_name, id)
  )`,
]
