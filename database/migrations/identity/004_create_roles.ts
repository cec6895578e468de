import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateRoles extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table roles (
        id uuid primary key,
        name varchar(128) not null,
        display_name varchar(256),
        description varchar(4096),
        target varchar(64),
        realm_id uuid references realms on delete cascade,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'roles'
    this.schema.raw(
      `create unique index roles_name_realm_id_key on roles (lower(name), realm_id)
       where realm_id is not null`
    )
    this.schema.raw(
      'create unique index roles_name_key on roles (lower(name)) where realm_id is null'
    )
    index.named(table, 'realm_id').forEach((statement) => this.schema.raw(statement))
    for (const column of ['realm_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('roles')
  }
}
