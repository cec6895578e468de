import type pg from 'pg'

import { coreSettings } from '#core/core_settings'
import { CONTENT_DIGEST } from './approved_content.js'

/** The current content of an analysis, and which of its nodes approved exactly that content. */
export interface AgreedContent {
  readonly digest: string
  readonly nodes: readonly { readonly nodeId: string; readonly agrees: boolean }[]
  /** The trace of the latest command that started a build or distribution, if it is recorded. */
  readonly traceparent: string | null
}

const AGREED = `with content as (
    select a.id, a.project_id, ${CONTENT_DIGEST} as digest from analyses a where a.id = $1)
  select c.digest, coalesce((
    select json_agg(json_build_object('nodeId', o.node_id, 'agrees',
      coalesce((p.approval_status = 'approved' or $3)
        and o.approval_status is distinct from 'rejected'
        and ($2 or o.approval_status = 'approved'
          and (n.type = 'aggregator' or o.approved_digest = c.digest)), false)) order by o.node_id)
    from analysis_nodes o join nodes n on n.id = o.node_id
    left join project_nodes p on p.node_id = n.id and p.project_id = c.project_id
    where o.analysis_id = c.id), '[]') as nodes, (
    select r.traceparent from analysis_runs r where r.analysis_id = c.id
    order by r.started_at desc limit 1) as traceparent
  from content c`

/** The analysis must exist. */
export async function agreedContent(pool: pg.Pool, analysisId: string): Promise<AgreedContent> {
  const { rows } = await pool.query<AgreedContent>({
    name: 'agreed-content',
    text: AGREED,
    values: [analysisId, coreSettings().skipsAnalysisApproval, coreSettings().skipsProjectApproval],
  })
  return rows[0]!
}
