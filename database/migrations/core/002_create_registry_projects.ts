import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateRegistryProjects extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table registry_projects (
        id uuid primary key,
        name varchar(128) not null,
        type varchar(64) default 'default',
        public boolean not null default true,
        external_name varchar(64) not null,
        external_id varchar(64),
        account_id varchar(64),
        account_name varchar(256),
        account_secret varchar(256),
        webhook_name varchar(128),
        webhook_exists boolean not null default false,
        registry_id uuid not null references registries on delete cascade,
        realm_id uuid,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        unique (name, registry_id),
        unique (external_name, registry_id),
        unique (external_id, registry_id)
      )`)
    const table = 'registry_projects'
    this.schema.raw(index.text(table, 'name', 'registry_id'))
    this.schema.raw(index.match(table, 'name'))
    this.schema.raw(index.text(table, 'external_name', 'registry_id'))
    this.schema.raw(index.match(table, 'external_name'))
    this.schema.raw(index.text(table, 'type'))
    this.schema.raw(index.value(table, 'registry_id'))
    this.schema.raw(index.value(table, 'created_at'))
    this.schema.raw(index.value(table, 'updated_at'))
  }

  async down() {
    this.schema.dropTable('registry_projects')
  }
}
