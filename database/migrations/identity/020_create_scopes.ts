import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

const NAMED = ['scopes', 'policies', 'identity_providers']

export default class CreateScopes extends BaseSchema {
  async up() {
    this.#createNamed('scopes', 'built_in boolean not null default false')
    this.#createNamed(
      'policies',
      'type varchar(64) not null, built_in boolean not null default false'
    )
    this.#createNamed(
      'identity_providers',
      'protocol varchar(64) not null, enabled boolean not null default true'
    )
    this.#createClientScopes()
  }

  #createNamed(table: string, columns: string) {
    this.schema.raw(`
      create table ${table} (
        id uuid primary key,
        name varchar(128) not null,
        display_name varchar(256),
        description varchar(4096),
        ${columns},
        realm_id uuid references realms on delete cascade,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    this.schema.raw(
      `create unique index ${table}_name_realm_id_key on ${table} (lower(name), realm_id)
       where realm_id is not null`
    )
    this.schema.raw(
      `create unique index ${table}_name_key on ${table} (lower(name)) where realm_id is null`
    )
    index.named(table, 'realm_id').forEach((statement) => this.schema.raw(statement))
    for (const column of ['realm_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  #createClientScopes() {
    const table = 'client_scopes'
    this.schema.raw(`
      create table ${table} (
        id uuid primary key,
        client_id uuid not null references clients on delete cascade,
        scope_id uuid not null references scopes on delete cascade,
        client_realm_id uuid references realms on delete cascade,
        scope_realm_id uuid references realms on delete cascade,
        policy_id uuid,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        unique (client_id, scope_id)
      )`)
    for (const column of ['client_id', 'scope_id', 'client_realm_id', 'scope_realm_id']) {
      this.schema.raw(index.value(table, column))
    }
    for (const column of ['policy_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('client_scopes')
    NAMED.toReversed().forEach((table) => this.schema.dropTable(table))
  }
}
