import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateInbox extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table inbox (
        consumer text not null,
        message_id text not null,
        attempts integer not null default 0,
        done_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        primary key (consumer, message_id)
      )`)
    this.schema.raw('create index inbox_created_at on inbox (created_at)')
  }

  async down() {
    this.schema.dropTable('inbox')
  }
}
