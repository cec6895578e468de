import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateAnalysisNodes extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table analysis_nodes (
        id uuid primary key,
        approval_status varchar(32),
        execution_status varchar(32),
        execution_progress integer,
        comment text,
        artifact_tag varchar(32),
        artifact_digest varchar(512),
        analysis_id uuid not null references analyses on delete cascade,
        analysis_realm_id uuid not null,
        node_id uuid not null references nodes on delete cascade,
        node_realm_id uuid not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        unique (node_id, analysis_id)
      )`)
    const table = 'analysis_nodes'
    this.schema.raw(index.text(table, 'approval_status'))
    this.schema.raw(index.text(table, 'execution_status'))
    for (const column of ['analysis_id', 'analysis_realm_id', 'node_id', 'node_realm_id']) {
      this.schema.raw(index.value(table, column))
    }
    this.schema.raw(index.value(table, 'created_at'))
    this.schema.raw(index.value(table, 'updated_at'))
  }

  async down() {
    this.schema.dropTable('analysis_nodes')
  }
}
