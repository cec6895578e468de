import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreatePermissions extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table permissions (
        id uuid primary key,
        name varchar(128) not null,
        display_name varchar(256),
        description varchar(4096),
        built_in boolean not null default false,
        client_id uuid references clients on delete cascade,
        policy_id uuid,
        realm_id uuid references realms on delete cascade,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'permissions'
    this.schema.raw('create unique index permissions_name_key on permissions (lower(name))')
    index.named(table).forEach((statement) => this.schema.raw(statement))
    for (const column of ['client_id', 'policy_id', 'realm_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('permissions')
  }
}
