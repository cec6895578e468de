import type pg from 'pg'

import { coreSettings } from '#core/core_settings'
import type { Actor } from '#kernel/actor'
import { isUuid } from '#kernel/is_uuid'
import { CONTENT_DIGEST } from './approved_content.js'

/** Whether the actor is the client of a node that approved the analysis. */
export async function participates(
  database: pg.Pool | pg.ClientBase,
  { kind, id }: Actor,
  analysisId: string
): Promise<boolean> {
  if (kind !== 'client') {
    return false
  }
  const { rowCount } = await database.query(
    `select 1 from analysis_nodes a join nodes n on n.id = a.node_id
     where a.analysis_id = $1 and a.approval_status = 'approved' and n.client_id::text = $2`,
    [analysisId, id]
  )
  return rowCount !== 0
}

/**
 * Whether the node of this client approved the current content of the analysis and belongs to its project. Undefined if
 * the actor is not the client of a node.
 */
export async function agreementOf(
  database: pg.Pool | pg.ClientBase,
  { kind, id }: Actor,
  analysisId: string
): Promise<boolean | undefined> {
  if (kind !== 'client' || !isUuid(id)) {
    return undefined
  }
  const { rows } = await database.query<{ agrees: boolean | null }>(
    `select bool_or(exists (
       select 1 from analysis_nodes a
       where a.node_id = n.id and a.analysis_id = $1 and a.approval_status = 'approved'
         and ($4 or exists (
           select 1 from project_nodes p join analyses of on of.project_id = p.project_id
           where of.id = $1 and p.node_id = n.id and p.approval_status is distinct from 'rejected'))
         and ($3 or n.type = 'aggregator' or a.approved_digest = (
           select ${CONTENT_DIGEST} from analyses a where a.id = $1)))) as agrees
     from nodes n where n.client_id = $2`,
    [analysisId, id, coreSettings().skipsAnalysisApproval, coreSettings().skipsProjectApproval]
  )
  return rows[0]!.agrees ?? undefined
}
