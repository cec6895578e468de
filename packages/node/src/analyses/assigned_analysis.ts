import type { KeyObject } from 'node:crypto'

export type NodeType = 'default' | 'aggregator'

export interface Participant {
  readonly nodeId: string
  readonly nodeType: NodeType
  readonly clientId: string
  /** Undefined for a node that has not published its key. */
  readonly publicKey: KeyObject | undefined
}

/** An analysis that this node takes part in. */
export interface AssignedAnalysis {
  readonly id: string
  readonly projectId: string
  readonly self: Participant
  /** All nodes of the analysis, with this one. */
  readonly participants: readonly Participant[]
}

/** The participant with this node id, if it takes part. */
export const participantAt = (
  { participants }: AssignedAnalysis,
  nodeId: string
): Participant | undefined => participants.find((one) => one.nodeId === nodeId)
