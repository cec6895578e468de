import { BaseSchema } from '@adonisjs/lucid/schema'

import { renameColumn } from '#database/renames'

/** Names that the manual of PostgreSQL explains. Processes of earlier versions must have ended. */
export default class RenameToPlainWords extends BaseSchema {
  async up() {
    const statements = [
      ...renameColumn('analysis_bucket_requests', 'asked_at', 'requested_at'),
      ...renameColumn('analysis_runs', 'begun_at', 'started_at'),
      ...renameColumn('analysis_runs', 'heard_at', 'reported_at'),
      ...renameColumn('analysis_runs', 'check_asked_at', 'check_requested_at'),
      ...renameColumn('analysis_runs', 'given_up_at', 'unresponsive_at'),
      'alter index analysis_runs_heard_at rename to analysis_runs_reported_at',
      ...renameColumn('backups', 'began_at', 'started_at'),
      ...renameColumn('master_image_runs', 'begun_at', 'started_at'),
      ...renameColumn('registry_client_renewals', 'asked_at', 'requested_at'),
      ...renameColumn('registry_links', 'is_parted', 'is_detached'),
      ...renameColumn('registry_links', 'settled_at', 'reconciled_at'),
      ...renameColumn('registry_links', 'adopted_for', 'adopted_for_project_id'),
      ...renameColumn('registry_states', 'rests_until', 'paused_until'),
      ...renameColumn('registry_states', 'is_leaving', 'is_removing'),
      ...renameColumn('registry_workers', 'settled_at', 'reconciled_at'),
      ...renameColumn('status_history', 'at', 'changed_at'),
      ...renameColumn('tasks', 'taken_until', 'leased_until'),
      'alter index removed_analysis_files_bucket_file_id_idx rename to removed_analysis_files_bucket_file_id',
      ...renameStatusTriggers(),
      'alter table projects rename constraint projects_master_image_id_foreign to projects_master_image_id_fkey',
      'drop trigger mark_requested_bucket on analysis_bucket_requests',
      'drop function mark_requested_bucket',
    ]
    statements.forEach((statement) => this.schema.raw(statement))
  }
}

function renameStatusTriggers(): string[] {
  return [
    ...['analyses', 'analysis_nodes', 'project_nodes', 'nodes'].flatMap((table) => [
      `alter trigger keep_status on ${table} rename to record_status_change`,
      `alter trigger drop_status_history on ${table} rename to delete_status_history`,
    ]),
    'alter trigger keep_problem on analysis_runs rename to record_problem',
    'alter function drop_status_history rename to delete_status_history',
    'alter function keep_problem rename to record_problem',
    'alter function keep_status rename to record_status_change',
    RECORD_STATUS_CHANGE,
  ]
}

const RECORD_STATUS_CHANGE = `
  create or replace function record_status_change() returns trigger language plpgsql as $$
  declare
    before jsonb := to_jsonb(old);
    after jsonb := to_jsonb(new);
  begin
    insert into status_history (subject_id, name, value)
    select new.id, followed.name, after->>followed.name
    from unnest(tg_argv) with ordinality as followed (name, turn)
    where before->followed.name is distinct from after->followed.name
    order by turn;
    return null;
  end $$`
