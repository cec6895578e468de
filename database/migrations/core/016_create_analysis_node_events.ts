import { BaseSchema } from '@adonisjs/lucid/schema'

import { index } from '#database/indexes'

export default class CreateAnalysisNodeEvents extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table analysis_node_events (
        id uuid primary key,
        event_id uuid,
        analysis_id uuid not null references analyses on delete cascade,
        analysis_realm_id uuid not null,
        node_id uuid not null references nodes on delete cascade,
        node_realm_id uuid not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now()
      )`)
    for (const column of ['analysis_id', 'node_id', 'created_at', 'updated_at']) {
      this.schema.raw(index.value('analysis_node_events', column))
    }
  }

  async down() {
    this.schema.dropTable('analysis_node_events')
  }
}
