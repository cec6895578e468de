import { either, hasPermission, mayWriteIn, requireThat } from '#auth/verification/checks'
import type { Actor } from '#kernel/actor'
import type { BodyOf } from '#kernel/body'
import type { Row } from '#records/row'

import type { AnalysisNode, updateAnalysisNode } from './analysis_node.js'

type AnalysisNodeChanges = BodyOf<typeof updateAnalysisNode>

/** Attributes that only the realm of the node may change. */
const DECISION = ['approvalStatus', 'comment'] as const
const EXECUTION = ['executionStatus', 'executionProgress'] as const

/** Assignments are changed by the realm of the analysis or of the node. */
export function requireEitherRealm(
  actor: Actor,
  {
    nodeRealmId,
    analysisRealmId,
  }: Pick<Row<typeof AnalysisNode>, 'nodeRealmId' | 'analysisRealmId'>
): void {
  requireThat(actor, either(mayWriteIn(analysisRealmId), mayWriteIn(nodeRealmId)))
}

/** Decisions and executions are changed by the realm of the node only. */
export function requireAuthority(
  actor: Actor,
  { nodeRealmId }: Row<typeof AnalysisNode>,
  body: AnalysisNodeChanges
): void {
  const changesAny = (names: readonly (keyof AnalysisNodeChanges)[]) =>
    names.some((name) => body[name] !== undefined)
  const isOfNode = mayWriteIn(nodeRealmId)
  if (changesAny(DECISION)) {
    requireThat(actor, hasPermission('analysis_approve'), isOfNode)
  }
  if (changesAny(EXECUTION)) {
    requireThat(actor, hasPermission('analysis_update'), isOfNode)
  }
}
