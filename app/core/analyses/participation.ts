import type pg from 'pg'

import type { Actor } from '#http/actor'

/** Whether the actor is the client of a node that agreed to take part in an analysis. */
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
