import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateClients extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table clients (
        id uuid primary key,
        name varchar(128) not null,
        built_in boolean not null default false,
        display_name varchar(256),
        description varchar(4096),
        redirect_uri varchar(4096),
        active boolean not null default true,
        secret varchar(1024),
        secret_digest varchar(64),
        secret_hashed boolean not null default false,
        secret_encrypted boolean not null default true,
        grant_types varchar(512),
        scope varchar(512),
        base_url varchar(2048),
        root_url varchar(2048),
        auth_method varchar(64) not null default 'secret',
        token_binding_method varchar(64) not null default 'none',
        realm_id uuid not null references realms on delete cascade,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'clients'
    this.schema.raw(
      'create unique index clients_name_realm_id_key on clients (lower(name), realm_id)'
    )
    index.named(table, 'realm_id').forEach((statement) => this.schema.raw(statement))
    for (const column of ['realm_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('clients')
  }
}
