import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateRealms extends BaseSchema {
  async up() {
    this.schema.raw('create extension if not exists pg_trgm')
    this.schema.raw(`
      create table realms (
        id uuid primary key,
        name varchar(128) not null,
        display_name varchar(256),
        description varchar(4096),
        built_in boolean not null default false,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'realms'
    this.schema.raw('create unique index realms_name_key on realms (lower(name))')
    index.named(table).forEach((statement) => this.schema.raw(statement))
    for (const column of ['created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('realms')
  }
}
