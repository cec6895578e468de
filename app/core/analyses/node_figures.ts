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
const LEAST_FIRST: readonly ProcessStatus[] = [
  'failed',
  ...PROCESS_STATUSES.filter((status) => status !== 'failed'),
]

/**
 * What an analysis tells of all of its nodes together. A node that has not told how far its execution is says nothing about
 * that of the analysis.
 */
export function figuresOf(nodes: readonly AssignedNode[]) {
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
    executionStatus: leastOf(nodes),
    executionProgress: meanProgress(nodes),
  }
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

function leastOf(nodes: readonly AssignedNode[]): ProcessStatus | null {
  return LEAST_FIRST.find((least) => nodes.some((node) => node.executionStatus === least)) ?? null
}

function meanProgress(nodes: readonly AssignedNode[]): number {
  const sum = nodes.reduce((total, { executionProgress }) => total + (executionProgress ?? 0), 0)
  return nodes.length === 0 ? 0 : Math.floor(sum / nodes.length)
}
