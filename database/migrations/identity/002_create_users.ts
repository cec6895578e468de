import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateUsers extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table users (
        id uuid primary key,
        name varchar(128) not null,
        display_name varchar(256),
        email varchar(320),
        active boolean not null default true,
        name_locked boolean not null default true,
        first_name varchar(128),
        last_name varchar(128),
        avatar varchar(2048),
        cover varchar(2048),
        password varchar(512),
        sessions_since timestamptz(3),
        realm_id uuid not null references realms on delete cascade,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'users'
    this.schema.raw('create unique index users_name_realm_id_key on users (lower(name), realm_id)')
    index.named(table, 'realm_id').forEach((statement) => this.schema.raw(statement))
    for (const column of ['active', 'realm_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('users')
  }
}
