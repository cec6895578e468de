import type pg from 'pg'

import type { AssignedNode } from './node_summary.js'
import { initialApproval } from '#core/analysis_nodes/approval'

/** A node that a new analysis is assigned to. */
export interface InitialNode extends AssignedNode {
  readonly nodeId: string
  readonly nodeRealmId: string
  readonly approvalStatus: 'approved' | null
}

/**
 * The nodes that approved a project, which the caller has locked. Share locks keep their decisions unchanged until the
 * transaction ends.
 */
export async function findInitialNodes(
  transaction: pg.ClientBase,
  projectId: string
): Promise<InitialNode[]> {
  const { rows } = await transaction.query<Pick<InitialNode, 'nodeId' | 'nodeRealmId' | 'type'>>(
    `select p.node_id as "nodeId", p.node_realm_id as "nodeRealmId", n.type
     from project_nodes p join nodes n on n.id = p.node_id
     where p.project_id = $1 and p.approval_status = 'approved'
     order by n.id for share of p, n`,
    [projectId]
  )
  return rows.map((row) => ({
    ...row,
    approvalStatus: initialApproval(row.type),
    executionStatus: null,
    executionProgress: null,
  }))
}
