import { BaseSchema } from '@adonisjs/lucid/schema'

/** The columns whose changes are recorded in the history. */
const FOLLOWED = {
  analyses: [
    'registry_id',
    'configuration_locked',
    'configuration_entrypoint_valid',
    'configuration_image_valid',
    'configuration_node_aggregator_valid',
    'configuration_node_default_valid',
    'build_nodes_valid',
    'build_status',
    'distribution_status',
    'execution_status',
  ],
  analysis_nodes: ['approval_status', 'execution_status'],
  project_nodes: ['approval_status'],
  nodes: ['registry_id'],
} as const

/** Initial values have no entry: they apply since the creation of the record. */
export default class KeepStatusHistory extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table status_history (
        position bigint generated always as identity primary key,
        subject_id uuid not null,
        name varchar(64) not null,
        value text,
        at timestamptz(3) not null default clock_timestamp()
      )`)
    this.schema.raw(
      'create index status_history_subject on status_history (subject_id, name, position)'
    )
    this.schema.raw(`
      create function keep_status() returns trigger language plpgsql as $$
      declare
        was jsonb := to_jsonb(old);
        now_is jsonb := to_jsonb(new);
      begin
        insert into status_history (subject_id, name, value)
        select new.id, followed.name, now_is->>followed.name
        from unnest(tg_argv) with ordinality as followed (name, turn)
        where was->followed.name is distinct from now_is->followed.name
        order by turn;
        return null;
      end $$`)
    this.schema.raw(`
      create function drop_status_history() returns trigger language plpgsql as $$
      begin
        delete from status_history where subject_id = old.id;
        return null;
      end $$`)
    for (const [table, columns] of Object.entries(FOLLOWED)) {
      const changed = columns.map((name) => `old.${name} is distinct from new.${name}`)
      const names = columns.map((name) => `'${name}'`)
      this.schema.raw(`
        create trigger keep_status after update of ${columns.join()} on ${table} for each row
        when (${changed.join(' or ')}) execute function keep_status(${names.join()})`)
      this.schema.raw(`
        create trigger drop_status_history after delete on ${table} for each row
        execute function drop_status_history()`)
    }
  }

  async down() {
    for (const table of Object.keys(FOLLOWED)) {
      this.schema.raw(`drop trigger keep_status on ${table}`)
      this.schema.raw(`drop trigger drop_status_history on ${table}`)
    }
    this.schema.raw('drop function keep_status, drop_status_history')
    this.schema.dropTable('status_history')
  }
}
