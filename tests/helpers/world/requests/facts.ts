import type { BucketType, WorldAnalysis, WorldNode } from '#tests/helpers/world/analyses'
import type { RealmName } from '#tests/helpers/world/people'
import type { Row } from '#tests/helpers/world/row'
import type { World } from '#tests/helpers/world/world'

export function nodeRow({ nodes }: World, realm: RealmName): Row {
  const { id, realmId, clientId } = nodes[realm]
  return { name: `the node of the ${realm}`, id, realmId, nodeRealmId: realmId, clientId }
}

/** An analysis, or a part of it of one type. */
export function analysisRow(
  { id, state, realmId, creatorId, parts }: WorldAnalysis,
  part: { id?: string; type?: BucketType; called?: string; node?: WorldNode } = {}
): Row {
  const { type, node, called = 'analysis' } = part
  return {
    name: `the ${type ? `${type} ` : ''}${called} of state ${state} (realm ${realmId.slice(0, 4)})`,
    id: part.id ?? id,
    realmId,
    nodeRealmId: node?.realmId,
    clientId: node?.clientId,
    analysis: { id, creatorId, parts, type },
  }
}

/** Every analysis of the world. */
export const allAnalyses = ({ analyses, elsewhere }: World): readonly WorldAnalysis[] => [
  ...Object.values(analyses),
  elsewhere,
]

/** Those whose client was fetched by somebody, and one that nobody decided about. */
export const someAnalyses = ({ analyses, elsewhere }: World): readonly WorldAnalysis[] => [
  analyses.executing,
  analyses.rejected,
  analyses.drafted,
  elsewhere,
]

export const INSTALLATION: Row = { name: 'the installation', id: '', realmId: null }
