import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateOutbox extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table outbox (
        position bigint generated always as identity primary key,
        written_at timestamptz(3) not null default clock_timestamp(),
        pending smallint not null,
        message_id varchar(21) not null,
        ordered_by text not null,
        queue text,
        content json not null
      )`)
  }

  async down() {
    this.schema.dropTable('outbox')
  }
}
