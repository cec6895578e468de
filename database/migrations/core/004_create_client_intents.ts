import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateClientIntents extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table client_intents (
        record_id uuid primary key,
        realm_id uuid not null,
        created_at timestamptz(3) not null,
        abandoned_at timestamptz(3)
      )`)
    this.schema.raw('create index client_intents_created_at on client_intents (created_at)')
  }

  async down() {
    this.schema.dropTable('client_intents')
  }
}
