import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateNodes extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table nodes (
        id uuid primary key,
        name varchar(128) not null,
        client_id uuid,
        external_name varchar(64),
        hidden boolean not null default false,
        type varchar(64) not null default 'default',
        online boolean not null default false,
        public_key varchar(4096),
        robot_id uuid,
        realm_id uuid not null,
        registry_id uuid references registries on delete set null,
        registry_project_id uuid references registry_projects on delete set null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        unique (name, realm_id),
        unique (external_name, registry_id)
      )`)
    const table = 'nodes'
    this.schema.raw(index.text(table, 'name', 'realm_id'))
    this.schema.raw(index.match(table, 'name'))
    this.schema.raw(index.textOrder(table, 'name'))
    for (const column of ['online', 'hidden', 'client_id', 'realm_id', 'robot_id']) {
      this.schema.raw(index.value(table, column))
    }
    for (const reference of ['registry_id', 'registry_project_id']) {
      this.schema.raw(index.value(table, reference))
    }
    this.schema.raw(index.value(table, 'created_at'))
    this.schema.raw(index.value(table, 'updated_at'))
  }

  async down() {
    this.schema.dropTable('nodes')
  }
}
