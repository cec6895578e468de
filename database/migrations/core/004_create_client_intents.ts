import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateClientIntents extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table client_intents (
        record_id uuid primary key,
        realm_id uuid not null,
        created_at timestamptz(3) not null,
        abandoned_at timestamptz(3)
      )`)
    this.schema.raw(index.value('client_intents', 'created_at'))
  }

  async down() {
    this.schema.dropTable('client_intents')
  }
}
