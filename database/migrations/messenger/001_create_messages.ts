import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Pending messages, one row per recipient. All have the same lifetime, so `created_at` determines their expiry.
 * Both indexes end with that order: one serves a recipient, the other finds expired messages without the table.
 */
export default class CreateMessages extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table messages (
        id uuid primary key,
        sender_type varchar(64) not null,
        sender_id uuid not null,
        recipient_type varchar(64) not null,
        recipient_id uuid not null,
        data text,
        metadata text,
        size integer not null,
        created_at timestamptz(3) not null default clock_timestamp(),
        sequence bigint generated always as identity
      ) with (${settings(QUEUE)}, ${settings(QUEUE, 'toast.')})`)
    // Encrypted content cannot be compressed.
    this.schema.raw('alter table messages alter column data set storage external')
    this.schema.raw(
      'create index messages_recipient on messages (recipient_id, recipient_type, created_at, sequence)'
    )
    this.schema.raw(
      'create index messages_age on messages (recipient_type, created_at) include (id, recipient_id)'
    )
  }

  async down() {
    this.schema.dropTable('messages')
  }
}

/** Rows are inserted and deleted continuously: vacuum after a number of rows, not a share of the table. */
const QUEUE = {
  autovacuum_vacuum_scale_factor: 0,
  autovacuum_vacuum_threshold: 10_000,
  autovacuum_vacuum_insert_scale_factor: 0,
  autovacuum_vacuum_insert_threshold: 10_000,
  autovacuum_vacuum_cost_delay: 0,
}

function settings(named: Record<string, number>, prefix = ''): string {
  return Object.entries(named)
    .map(([name, value]) => `${prefix}${name} = ${value}`)
    .join()
}
