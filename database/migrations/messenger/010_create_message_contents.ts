import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Content of messages to several recipients, stored once. A message to one recipient holds its own content, as do
 * older messages.
 */
export default class CreateMessageContents extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table message_contents (
        id uuid primary key,
        sender_type varchar(64) not null,
        sender_id uuid not null,
        data text,
        metadata text,
        size integer not null,
        created_at timestamptz(3) not null default now()
      ) with (${settings(QUEUE)}, ${settings(QUEUE, 'toast.')})`)
    // Encrypted content cannot be compressed.
    this.schema.raw('alter table message_contents alter column data set storage external')
    this.schema.raw(
      'create index message_contents_sender on message_contents (sender_id, sender_type)'
    )
    this.schema.raw('create index message_contents_age on message_contents (created_at)')
    this.schema.raw('alter table messages add column content_id uuid')
    this.schema.raw(
      'create index messages_content on messages (content_id) where content_id is not null'
    )
  }

  async down() {
    this.schema.raw(`
      update messages m set data = c.data, metadata = c.metadata
      from message_contents c where c.id = m.content_id`)
    this.schema.raw('alter table messages drop column content_id')
    this.schema.dropTable('message_contents')
  }
}

/** Rows are inserted and deleted continuously, as in the table of messages. */
const QUEUE = {
  autovacuum_vacuum_scale_factor: 0,
  autovacuum_vacuum_threshold: 10_000,
  autovacuum_vacuum_cost_delay: 0,
}

function settings(named: Record<string, number>, prefix = ''): string {
  return Object.entries(named)
    .map(([name, value]) => `${prefix}${name} = ${value}`)
    .join()
}
