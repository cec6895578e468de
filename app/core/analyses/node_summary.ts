import type pg from 'pg'

import { skipsApproval } from '#core/analysis_nodes/approval_switch'
import { PROCESS_STATUSES, type ProcessStatus } from './process_status.js'
import type { NODE_TYPES } from '#core/nodes/node'

/** A node that is assigned to an analysis, as far as the analysis tells of it. */
export interface AssignedNode {
  readonly type: (typeof NODE_TYPES)[number]
  readonly approvalStatus: string | null
  readonly executionStatus: ProcessStatus | null
  readonly executionProgress: number | null
}

/** From what stands in the way of everything to what is over. */
const LEAST_ADVANCED_FIRST: readonly ProcessStatus[] = [
  'failed',
  ...PROCESS_STATUSES.filter((status) => status !== 'failed'),
]

/**
 * What an analysis shows of all of its nodes together. Its execution is that of the nodes that approved it: it is executed when each of them has
 * reported that, and a node that has reported nothing counts as not begun.
 */
export function summarizeNodes(nodes: readonly AssignedNode[]) {
  const approved = nodes.filter(({ approvalStatus }) => approvalStatus === 'approved').length
  const isOfType = (wanted: AssignedNode['type']) => nodes.some(({ type }) => type === wanted)
  const hasAggregator = isOfType('aggregator')
  const hasDefault = isOfType('default')
  return {
    nodes: nodes.length,
    nodesApproved: approved,
    configurationNodeAggregatorValid: hasAggregator,
    configurationNodeDefaultValid: hasDefault,
    configurationNodesValid: hasAggregator && hasDefault,
    buildNodesValid: nodes.length > 0 && (skipsApproval.isOn || approved === nodes.length),
    ...executionOf(participating(nodes)),
  }
}

/** The nodes that approved; all of them before any has. */
function participating(nodes: readonly AssignedNode[]): readonly AssignedNode[] {
  if (skipsApproval.isOn) {
    return nodes.filter(({ approvalStatus }) => approvalStatus !== 'rejected')
  }
  const approved = nodes.filter(({ approvalStatus }) => approvalStatus === 'approved')
  return approved.length > 0 ? approved : nodes
}

/** The nodes of an analysis, which the caller holds locked: nobody adds or changes one meanwhile. */
export async function assignedNodes(
  transaction: pg.ClientBase,
  analysisId: string
): Promise<AssignedNode[]> {
  const { rows } = await transaction.query<AssignedNode>(
    `select n.type, a.approval_status as "approvalStatus", a.execution_status as "executionStatus",
       a.execution_progress as "executionProgress"
     from analysis_nodes a join nodes n on n.id = a.node_id where a.analysis_id = $1`,
    [analysisId]
  )
  return rows
}

function executionOf(nodes: readonly AssignedNode[]) {
  return { executionStatus: leastAdvanced(nodes), executionProgress: meanProgress(nodes) }
}

/** Null where no node has begun. */
function leastAdvanced(nodes: readonly AssignedNode[]): ProcessStatus | null {
  const status = LEAST_ADVANCED_FIRST.find((one) =>
    nodes.some((node) => node.executionStatus === one)
  )
  const isIncomplete = nodes.some(({ executionStatus }) => executionStatus === null)
  return status === 'executed' && isIncomplete ? 'executing' : (status ?? null)
}

function meanProgress(nodes: readonly AssignedNode[]): number {
  const sum = nodes.reduce((total, { executionProgress }) => total + (executionProgress ?? 0), 0)
  return nodes.length === 0 ? 0 : Math.floor(sum / nodes.length)
}
