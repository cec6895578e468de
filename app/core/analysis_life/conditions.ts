import type { Analysis } from '#core/analyses/analysis'
import type { ColumnName, Row } from '#records/row'
import type { Facts } from './facts.js'
import { GUARDS } from './guards.js'
import type { ConditionName } from './phases.js'
import type { ProcessName } from './processes.js'
import type { Problems } from './runs.js'
import type { NodeStanding } from './standings.js'

/** Who has to do something. */
export interface Responsible {
  readonly type: 'realm' | 'node' | 'worker' | 'operator'
  readonly realmId?: string
  readonly nodeId?: string
}

/** A request that would do it. */
export interface Action {
  readonly method: 'POST'
  readonly path: string
  readonly body?: object
}

export interface Condition {
  readonly code: string
  readonly holds: boolean
  /** Null where nobody noted it. */
  readonly since: string | null
  readonly who: readonly Responsible[]
  readonly action: Action | null
  /** Why what was begun failed, where it did. */
  readonly reason?: string
}

/** All that is known when conditions are explained. */
export interface Known {
  readonly facts: Facts
  readonly nodes: readonly NodeStanding[]
  readonly lastChanges: ReadonlyMap<string, Date>
  readonly problems: Problems
}

type Explained = Omit<Condition, 'code' | 'holds'>
type Explain = (known: Known) => Explained

/** A condition that the analysis itself shows in one of its columns. */
const shownIn =
  (
    column: string,
    who: (analysis: Row<typeof Analysis>) => Responsible,
    action: (analysis: Row<typeof Analysis>) => Action | null
  ): Explain =>
  ({ facts: { analysis }, lastChanges }) => ({
    since: (lastChanges.get(column) ?? new Date(analysis.createdAt)).toISOString(),
    who: [who(analysis)],
    action: action(analysis),
  })

/** A condition that each node that is assigned has a part in. */
const ofNodes =
  (
    isSo: (node: NodeStanding) => boolean,
    since: (node: NodeStanding) => Date,
    action: (node: NodeStanding) => Action | null
  ): Explain =>
  ({ nodes, facts: { analysis } }) => {
    const missing = nodes.filter((node) => !isSo(node))
    const times = (missing.length > 0 ? missing : nodes).map((node) => since(node).getTime())
    const decisive = missing.length > 0 ? Math.min(...times) : Math.max(...times)
    return {
      since: nodes.length > 0 ? new Date(decisive).toISOString() : toIso(analysis.createdAt),
      who: missing.map(({ nodeId, nodeRealmId }) => ({
        type: 'node' as const,
        nodeId,
        realmId: nodeRealmId,
      })),
      action: missing[0] ? action(missing[0]) : null,
    }
  }

const toIso = (time: string) => new Date(time).toISOString()
const itsRealm = ({ realmId }: Row<typeof Analysis>): Responsible => ({ type: 'realm', realmId })
const worker = (): Responsible => ({ type: 'worker' })
const command =
  (name: string) =>
  ({ id }: Row<typeof Analysis>): Action => ({
    method: 'POST',
    path: `/analyses/${id}/command`,
    body: { command: name },
  })
const assigning = ({ id }: Row<typeof Analysis>): Action => ({
  method: 'POST',
  path: '/analysis-nodes',
  body: { analysisId: id, nodeId: null },
})
const changing =
  (name: ColumnName<typeof Analysis>) =>
  ({ id }: Row<typeof Analysis>): Action => ({
    method: 'POST',
    path: `/analyses/${id}`,
    body: { [name]: null },
  })
const rooting = (): Action => ({
  method: 'POST',
  path: '/analysis-bucket-files/:id',
  body: { root: true },
})

/** Whether a process can be begun, which tells of the one before. */
const beginning =
  (process: ProcessName): Explain =>
  (known) => {
    const explained = shownIn(`${process}_status`, worker, command(`${process}Check`))(known)
    const reason = known.problems[process]
    return { ...explained, ...(reason && { reason }) }
  }

/** How each condition of a phase is explained. */
const EXPLANATIONS: Record<ConditionName, Explain> = {
  neverBuilt: shownIn('build_status', itsRealm, command('configurationUnlock')),
  defaultNode: shownIn('configuration_node_default_valid', itsRealm, assigning),
  aggregatorNode: shownIn('configuration_node_aggregator_valid', itsRealm, assigning),
  entrypoint: shownIn('configuration_entrypoint_valid', itsRealm, rooting),
  image: shownIn('configuration_image_valid', itsRealm, changing('masterImageId')),
  projectApprovals: ofNodes(
    ({ isInProject }) => isInProject,
    ({ inProjectSince }) => inProjectSince,
    ({ projectNodeId }) =>
      projectNodeId === null
        ? null
        : { method: 'POST', path: `/project-nodes/${projectNodeId}`, body: APPROVED }
  ),
  nodeApprovals: ofNodes(
    ({ isApproved }) => isApproved,
    ({ approvedSince }) => approvedSince,
    ({ assignmentId }) => ({
      method: 'POST',
      path: `/analysis-nodes/${assignmentId}`,
      body: APPROVED,
    })
  ),
  buildStartable: beginning('build'),
  built: shownIn('build_status', worker, command('buildCheck')),
  signature: shownIn('build_status', worker, command('buildCheck')),
  registry: shownIn(
    'registry_id',
    () => ({ type: 'operator' }),
    () => ({ method: 'POST', path: '/registries' })
  ),
  nodeRegistries: ofNodes(
    ({ hasRegistry }) => hasRegistry,
    ({ registrySince }) => registrySince,
    ({ nodeId }) => ({ method: 'POST', path: `/nodes/${nodeId}`, body: { registryId: null } })
  ),
  distributionStartable: beginning('distribution'),
  executed: ofNodes(
    ({ isExecuted }) => isExecuted,
    ({ executedSince }) => executedSince,
    () => null
  ),
}

const APPROVED = { approvalStatus: 'approved' }

/** One condition of a phase: whether it holds, since when, and who would have to do what. */
export function conditionOf(name: ConditionName, known: Known): Condition {
  const explained = EXPLANATIONS[name](known)
  const { code, holds: isSo } = GUARDS[name]
  const holds = isSo(known.facts)
  return { code, holds, ...explained, ...(holds && { who: [], action: null }) }
}
