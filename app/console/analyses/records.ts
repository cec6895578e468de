import { shortId } from '#console/formats'

/** An analysis as core returns it. */
export interface AnalysisRow {
  readonly id: string
  readonly name: string
  readonly displayName: string | null
  readonly description: string | null
  readonly nodes: number
  readonly nodesApproved: number
  readonly configurationLocked: boolean
  readonly buildStatus: string | null
  readonly buildProgress: number | null
  readonly buildHash: string | null
  readonly distributionStatus: string | null
  readonly distributionProgress: number | null
  readonly executionStatus: string | null
  readonly executionProgress: number | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly realmId: string
  readonly userId: string | null
  readonly projectId: string
  readonly imageCommandArguments: unknown
  readonly project?: { readonly id: string; readonly name: string } | null
  readonly masterImage?: { readonly id: string; readonly virtualPath: string } | null
}

/** A node of an analysis. */
export interface AssignmentRow {
  readonly id: string
  readonly approvalStatus: 'approved' | 'rejected' | null
  readonly executionStatus: string | null
  readonly executionProgress: number | null
  readonly comment: string | null
  readonly nodeId: string
  readonly nodeRealmId: string
  readonly updatedAt: string
  readonly node?: NodeRow | null
}

/** A node of a project. */
export interface ParticipationRow {
  readonly id: string
  readonly approvalStatus: 'approved' | 'rejected' | null
  readonly comment: string | null
  readonly nodeId: string
  readonly nodeRealmId: string
  readonly updatedAt: string
  readonly node?: NodeRow | null
}

interface NodeRow {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly online: boolean
}

/** The name of a node that takes part; the beginning of its id for readers who may not see the name. */
export const nodeNameOf = ({ node, nodeId }: Pick<ParticipationRow, 'node' | 'nodeId'>): string =>
  node?.name ?? shortId(nodeId)

/** The state of a process in one word, for pictures and badges. */
export type ProgressState = 'waiting' | 'running' | 'done' | 'failed'

export const RUNNING: readonly string[] = ['starting', 'started', 'stopping', 'executing']

export function progressOf(status: string | null): ProgressState {
  if (status === 'executed') {
    return 'done'
  }
  if (status === 'failed' || status === 'stopped') {
    return 'failed'
  }
  return status !== null && RUNNING.includes(status) ? 'running' : 'waiting'
}
