import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateProjectNodes extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table project_nodes (
        id uuid primary key,
        approval_status varchar(32),
        comment text,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        project_id uuid not null references projects on delete cascade,
        project_realm_id uuid not null,
        node_id uuid not null references nodes on delete cascade,
        node_realm_id uuid not null,
        unique (project_id, node_id)
      )`)
    const table = 'project_nodes'
    this.schema.raw(index.text(table, 'approval_status'))
    for (const column of [
      'project_id',
      'project_realm_id',
      'node_realm_id',
      'node_id',
      'created_at',
      'updated_at',
    ]) {
      this.schema.raw(index.value(table, column))
    }
  }

  async down() {
    this.schema.dropTable('project_nodes')
  }
}
