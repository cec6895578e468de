import { BaseSchema } from '@adonisjs/lucid/schema'

export default class CreateRegistryLinks extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table registry_links (
        registry_id uuid not null references registries on delete cascade,
        external_name varchar(64) not null,
        is_parted boolean not null default false,
        is_adopted boolean,
        account_id varchar(64),
        new_secret varchar(256),
        revision integer not null default 1,
        attempts integer not null default 0,
        due_at timestamptz(3),
        taken_until timestamptz(3),
        settled_at timestamptz(3),
        problem text,
        primary key (registry_id, external_name)
      )`)
    this.schema.raw(
      'create index registry_links_due_at on registry_links (due_at) where due_at is not null'
    )
    this.schema.raw(`
      create table registry_states (
        registry_id uuid primary key references registries on delete cascade,
        rests_until timestamptz(3),
        is_leaving boolean not null default false
      )`)
  }

  async down() {
    this.schema.dropTable('registry_states')
    this.schema.dropTable('registry_links')
  }
}
