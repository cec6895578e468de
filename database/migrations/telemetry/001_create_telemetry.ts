import { BaseSchema } from '@adonisjs/lucid/schema'

import { maintainGroupTotals, maintainTotals } from '#database/maintained_totals'

export default class CreateTelemetry extends BaseSchema {
  async up() {
    const statements = [
      ...EVENTS,
      ...SEALS,
      ...maintainTotals('events', 'realm_id'),
      ...maintainGroupTotals('events', 'realm_id'),
    ]
    statements.forEach((statement) => this.schema.raw(statement))
  }
}

/** Lists of events show the newest first. The table is vacuumed and analyzed after 2 % of the rows changed. */
const EVENTS = [
  `create table events (
    id uuid primary key, scope varchar(64) not null,
    name varchar(64) not null,
    ref_type varchar(64) not null, ref_id varchar(64), data text,
    expiring boolean not null default false,
    request_path varchar(256), request_method varchar(10), request_ip_address varchar(45),
    request_user_agent varchar(512),
    actor_type varchar(64), actor_id uuid, actor_name varchar(64),
    realm_id uuid, expires_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(), reported_by text
  ) with (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02
  )`,
  'create index events_newest on events (created_at, id)',
  'create index events_realm_newest on events (realm_id, created_at, id)',
  'create index events_scope_newest on events (lower(scope), created_at)',
  'create index events_name_scope_newest on events (lower(name), lower(scope), created_at)',
  'create index events_ref_newest on events (lower(ref_type), lower(ref_id), created_at)',
  'create index events_ref_id on events (lower(ref_id))',
  `create index events_actor_newest on events (actor_id, created_at, id) include (realm_id)
    where actor_id is not null`,
]

/** Events are sealed in batches, in one chain per realm. Hashes and random ids cannot be compressed. */
const SEALS = [
  `create table event_chains (
    chain varchar(36) primary key,
    number bigint not null default 0, digest char(64),
    anchored bigint not null default 0
  )`,

  `create table event_batches (
    chain varchar(36) not null, number bigint not null, previous char(64),
    root char(64) not null, size integer not null, expires_at timestamptz(3),
    sealed_at timestamptz(3) not null,
    signature bytea not null, ids bytea not null, leaves bytea not null,
    is_removed boolean not null default false,
    primary key (chain, number)
  )`,
  'alter table event_batches alter column ids set storage external',
  'alter table event_batches alter column leaves set storage external',
  `create index event_batches_expiry on event_batches (expires_at, chain, number)
    where not is_removed`,
  'create index event_batches_sealed on event_batches (chain, sealed_at)',

  `create table event_removals (
    id bigint generated always as identity primary key,
    chain varchar(36) not null, number bigint not null,
    statement text not null, signature bytea not null
  )`,
  'create index event_removals_batch on event_removals (chain, number)',
]
