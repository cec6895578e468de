import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateDeadLetters extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table dead_letters (
        id text primary key,
        queue text not null,
        message_id text,
        type text,
        reason text not null,
        attempts integer not null,
        body bytea not null,
        died_at timestamptz(3) not null default now(),
        unique (queue, message_id)
      )`)
    this.schema.raw('create index dead_letters_queue_died_at on dead_letters (queue, died_at, id)')
  }

  async down() {
    this.schema.dropTable('dead_letters')
  }
}
