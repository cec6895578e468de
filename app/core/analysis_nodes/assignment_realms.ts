import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { EntityNotFound } from '#kernel/failures'

const REALMS = `select a.realm_id as "analysisRealmId", n.realm_id as "nodeRealmId", n.type
  from analyses a, nodes n where a.id = $1 and n.id = $2`

interface AssignmentRealms {
  readonly analysisRealmId: string
  readonly nodeRealmId: string
  readonly type: string
}

/** The realms of the analysis and the node, and the type of the node. */
export async function findRealms(
  pool: DatabasePool,
  { analysisId, nodeId }: { analysisId: string; nodeId: string }
): Promise<AssignmentRealms> {
  const { rows } = await pool.query<AssignmentRealms>(REALMS, [analysisId, nodeId])
  if (!rows[0]) {
    throw new EntityNotFound('analysis')
  }
  return rows[0]
}

/** Throws unless the node belongs to the project of the analysis, approved or not. */
export async function requireInProject(
  transaction: pg.ClientBase,
  { projectId }: { projectId: string },
  nodeId: string
): Promise<void> {
  const { rowCount } = await transaction.query(
    'select 1 from project_nodes where project_id = $1 and node_id = $2',
    [projectId, nodeId]
  )
  if (rowCount === 0) {
    throw new EntityNotFound('project-node')
  }
}
