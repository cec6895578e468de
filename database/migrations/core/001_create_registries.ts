import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateRegistries extends BaseSchema {
  async up() {
    this.schema.raw('create extension if not exists pg_trgm')
    this.schema.raw(`
      create table registries (
        id uuid primary key,
        name varchar(128) not null unique,
        host varchar(512) not null unique,
        account_name varchar(256),
        account_secret varchar(256),
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'registries'
    this.schema.raw(index.text(table, 'name'))
    this.schema.raw(index.match(table, 'name'))
    this.schema.raw(index.value(table, 'created_at'))
    this.schema.raw(index.value(table, 'updated_at'))
  }

  async down() {
    this.schema.dropTable('registries')
  }
}
