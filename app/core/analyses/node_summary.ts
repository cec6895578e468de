import type pg from 'pg'

import { coreSettings } from '#core/core_settings'
import { PROCESS_STATUSES, type ProcessStatus } from './process_status.js'
import type { NODE_TYPES } from '#core/nodes/node'

/** The columns of an assignment that the summary depends on. */
export interface AssignedNode {
  readonly type: (typeof NODE_TYPES)[number]
  readonly approvalStatus: string | null
  readonly executionStatus: ProcessStatus | null
  readonly executionProgress: number | null
}

/** Failures first, then from the least to the most advanced status. */
const LEAST_ADVANCED_FIRST: readonly ProcessStatus[] = [
  'failed',
  ...PROCESS_STATUSES.filter((status) => status !== 'failed'),
]

/**
 * The summary columns derived from the nodes. The execution covers the nodes that approved the analysis: it is executed
 * when each of them has reported that. A node without a report counts as not started.
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
    buildNodesValid:
      nodes.length > 0 && (coreSettings().skipsAnalysisApproval || approved === nodes.length),
    ...executionOf(participating(nodes)),
  }
}

/** The nodes that approved; all nodes while none has. */
function participating(nodes: readonly AssignedNode[]): readonly AssignedNode[] {
  if (coreSettings().skipsAnalysisApproval) {
    return nodes.filter(({ approvalStatus }) => approvalStatus !== 'rejected')
  }
  const approved = nodes.filter(({ approvalStatus }) => approvalStatus === 'approved')
  return approved.length > 0 ? approved : nodes
}

/** The nodes of an analysis. The caller has locked it, so that they do not change meanwhile. */
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

/** Null if no node has started. */
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
