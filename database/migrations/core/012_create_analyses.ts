import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateAnalyses extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table analyses (
        id uuid primary key,
        name varchar(128) not null,
        display_name varchar(256),
        description text,
        nodes integer not null default 0,
        nodes_approved integer not null default 0,
        configuration_locked boolean not null default false,
        configuration_entrypoint_valid boolean not null default false,
        configuration_image_valid boolean not null default false,
        configuration_node_aggregator_valid boolean not null default false,
        configuration_node_default_valid boolean not null default false,
        configuration_nodes_valid boolean not null default false,
        distribution_status varchar(64),
        distribution_progress integer,
        build_nodes_valid boolean not null default false,
        build_status varchar(64),
        build_progress integer,
        build_hash varchar(135),
        build_os varchar(64),
        build_size bigint,
        execution_status varchar(64),
        execution_progress integer,
        registry_id uuid references registries on delete set null,
        client_id uuid,
        realm_id uuid not null,
        user_id uuid,
        project_id uuid not null references projects on delete cascade,
        master_image_id uuid references master_images on delete set null,
        image_command_arguments text,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    const table = 'analyses'
    index.named(table).forEach((definition) => this.schema.raw(definition))
    this.schema.raw(index.textOrder(table, 'display_name'))
    this.schema.raw(
      'create index "analyses_description_hash" on analyses using hash (lower(description))'
    )
    this.schema.raw(index.match(table, 'description'))
    this.schema.raw(index.text(table, 'build_status'))
    this.schema.raw(index.text(table, 'execution_status'))
    for (const column of ['configuration_locked', 'project_id', 'realm_id', 'user_id']) {
      this.schema.raw(index.value(table, column))
    }
    for (const reference of ['registry_id', 'master_image_id']) {
      this.schema.raw(index.value(table, reference))
    }
    this.schema.raw(index.value(table, 'created_at'))
    this.schema.raw(index.value(table, 'updated_at'))
  }

  async down() {
    this.schema.dropTable('analyses')
  }
}
