import { either, hasPermission, mayWriteIn, requireThat } from '#auth/verification/checks'
import type { Actor } from '#kernel/actor'
import type { BodyOf } from '#kernel/body'
import type { Row } from '#records/row'

import type { AnalysisNode, updateAnalysisNode } from './analysis_node.js'

type AnalysisNodeChanges = BodyOf<typeof updateAnalysisNode>

/** What only those may tell who run the node. */
const DECISION = ['approvalStatus', 'comment'] as const
const EXECUTION = ['executionStatus', 'executionProgress'] as const

/** An assignment is changed by the realm of the analysis, or by that of the node. */
export function requireEitherRealm(
  actor: Actor,
  { nodeRealmId, analysisRealmId }: Row<typeof AnalysisNode>
): void {
  requireThat(actor, either(mayWriteIn(analysisRealmId), mayWriteIn(nodeRealmId)))
}

/** What the node decided, and how far it is, is told by its own realm. */
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
