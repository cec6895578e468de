import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Keeps the content about which a node decided last. It belongs to the node and the analysis, not to the assignment, so
 * that a node that is assigned again is still told what changed.
 */
export default class KeepDecidedContent extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table analysis_node_decisions (
        analysis_id uuid not null references analyses on delete cascade,
        node_id uuid not null references nodes on delete cascade,
        decision varchar(16) not null,
        content_digest varchar(64) not null,
        content jsonb not null,
        actor_type varchar(16) not null,
        actor_id uuid,
        actor_name text,
        decided_at timestamptz(3) not null default now(),
        primary key (analysis_id, node_id)
      )`)
    this.schema.raw(
      'create index analysis_node_decisions_node_id on analysis_node_decisions (node_id)'
    )
  }

  async down() {
    this.schema.raw('drop table analysis_node_decisions')
  }
}
