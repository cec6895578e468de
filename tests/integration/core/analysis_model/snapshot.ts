import type pg from 'pg'

const SNAPSHOT = `select
  (select row_to_json(a) from (select nodes, nodes_approved, configuration_locked,
     configuration_entrypoint_valid, configuration_image_valid, configuration_node_aggregator_valid,
     configuration_node_default_valid, configuration_nodes_valid, build_nodes_valid,
     build_status, build_progress, build_hash, distribution_status, distribution_progress,
     execution_status, coalesce(execution_progress, 0) as execution_progress,
     registry_id is not null as has_registry, master_image_id as image, image_command_arguments as arguments
   from analyses where id = $1) a) as analysis,
  (select coalesce(json_agg(json_build_array(node_id, approval_status, execution_status, execution_progress)
     order by node_id), '[]') from analysis_nodes where analysis_id = $1) as assignments,
  (select coalesce(json_agg(json_build_array(bucket_id, type, built_in) order by bucket_id), '[]')
     from analysis_buckets where analysis_id = $1) as buckets,
  (select coalesce(json_agg(json_build_array(bucket_file_id, bucket_id, path, root)
     order by bucket_file_id, bucket_id), '[]') from analysis_bucket_files where analysis_id = $1) as files,
  (select coalesce(json_agg(json_build_array(process, run, check_requested_at is not null, problem)
     order by process), '[]') from analysis_runs where analysis_id = $1) as runs,
  (select coalesce(json_agg(type order by type), '[]')
     from analysis_bucket_requests where analysis_id = $1) as requests,
  (select coalesce(json_agg(json_build_array(queue, content->'command'->>'type',
       content->'command'->'metadata'->>'run') order by position), '[]')
     from outbox where ordered_by = 'analysis/' || $1::text and queue is not null) as sent,
  exists (select 1 from analysis_code_locks where analysis_id = $1) as "codeIsLocked",
  (select count(*)::int from outbox where ordered_by = any($2)) as "givenBack"`

/** Everything of an analysis that is compared with the model, and which of these outbox entries exist. */
export async function snapshotOf(pool: pg.Pool, analysisId: string, entries: readonly string[]) {
  const { rows } = await pool.query({
    name: 'analysis-model-snapshot',
    text: SNAPSHOT,
    values: [analysisId, entries],
  })
  return rows[0]
}
