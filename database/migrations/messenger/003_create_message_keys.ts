import { BaseSchema } from '@adonisjs/lucid/schema'

/** The answers to idempotency keys, for repeated requests. */
export default class CreateMessageKeys extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table message_keys (
        sender_type varchar(64) not null,
        sender_id uuid not null,
        key varchar(255) not null,
        ids uuid[] not null,
        created_at timestamptz(3) not null default now(),
        primary key (sender_type, sender_id, key)
      )`)
    this.schema.raw('create index message_keys_created_at on message_keys (created_at)')
  }

  async down() {
    this.schema.dropTable('message_keys')
  }
}
