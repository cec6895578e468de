import type pg from 'pg'

import { CONTENT_DIGEST } from '#core/analyses/approved_content'

/** Idempotent statements that bring derived data up to date. */
const OF_CORE = [
  // Gives processes started at the source a run, so that a silent worker is detected.
  ...['build', 'distribution'].map(
    (process) => `
      insert into analysis_runs (analysis_id, process, run, started_at)
      select a.id, '${process}', '', a.updated_at from analyses a
      join adopted_rows r on r.table_name = 'analyses' and r.id = a.id
      where a.${process}_status is not null on conflict do nothing`
  ),
  // Approvals of the source apply to the current content, unless a decision was made here.
  `update analysis_nodes n set approved_digest = g.digest
   from (
     select o.id, (select ${CONTENT_DIGEST} from analyses a where a.id = o.analysis_id) as digest
     from analysis_nodes o join adopted_rows r on r.table_name = 'analysis_nodes' and r.id = o.id
     where o.approval_status = 'approved' and o.updated_at <= r.adopted_at) g
   where g.id = n.id and n.approved_digest is distinct from g.digest`,
  // Of several buckets of a type, the first is the built-in one.
  `update analysis_buckets b set built_in = true
   from (select distinct on (analysis_id, type) id from analysis_buckets
         order by analysis_id, type, built_in desc, created_at, id) f
   where f.id = b.id and not b.built_in
     and exists (select from adopted_rows r where r.table_name = 'analysis_buckets' and r.id = b.id)`,
  `update projects p set nodes = c.nodes, analyses = c.analyses
   from (select id, (select count(*) from project_nodes n where n.project_id = q.id) as nodes,
           (select count(*) from analyses a where a.project_id = q.id) as analyses from projects q) c
   where c.id = p.id and (p.nodes, p.analyses) is distinct from (c.nodes, c.analyses)
     and exists (select from adopted_rows r where r.table_name = 'projects' and r.id = p.id)`,
  `update analyses a set nodes = c.nodes, nodes_approved = c.approved
   from (select id, (select count(*) from analysis_nodes n where n.analysis_id = q.id) as nodes,
           (select count(*) from analysis_nodes n
            where n.analysis_id = q.id and n.approval_status = 'approved') as approved
         from analyses q) c
   where c.id = a.id and (a.nodes, a.nodes_approved) is distinct from (c.nodes, c.approved)
     and exists (select from adopted_rows r where r.table_name = 'analyses' and r.id = a.id)`,
]

const BUCKETS_AT_ONCE = 1_000

/** Updates the derived data of core. */
export async function settleCore(pool: pg.Pool): Promise<void> {
  for (const statement of OF_CORE) {
    await pool.query(statement)
  }
}

/** Links buckets to their analysis, which decides on access. */
export async function settleBuckets(core: pg.Pool, storage: pg.Pool): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await core.query<{ id: string; bucketId: string; analysisId: string }>(
      `select id, bucket_id as "bucketId", analysis_id as "analysisId" from analysis_buckets
       where id > $1 order by id limit ${BUCKETS_AT_ONCE}`,
      [after]
    )
    if (rows.length === 0) {
      return
    }
    after = rows.at(-1)!.id
    await storage.query(
      `update buckets b set ref_type = 'analysis', ref_id = g.analysis
       from unnest($1::uuid[], $2::text[]) as g (bucket, analysis)
       where b.id = g.bucket and b.ref_id is null
         and exists (select from adopted_rows r where r.table_name = 'buckets' and r.id = b.id)`,
      [rows.map(({ bucketId }) => bucketId), rows.map(({ analysisId }) => analysisId)]
    )
  }
}
