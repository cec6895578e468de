import type { Analysis } from '#core/analyses/analysis'
import type { ColumnName, Row } from '#records/row'
import type { AnalysisFacts } from './analysis_facts.js'
import { GUARDS } from './guards.js'
import type { ConditionName } from './phases.js'
import type { ProcessName } from './processes.js'
import type { Problems } from './runs.js'
import type { NodeExecution } from './node_executions.js'
import type { NodeState } from './node_states.js'

/** Who has to act. */
interface Responsible {
  readonly type: 'realm' | 'node' | 'worker' | 'operator'
  readonly realmId?: string
  readonly nodeId?: string
}

/** The request that would satisfy the condition. */
interface Action {
  readonly method: 'POST'
  readonly path: string
  readonly body?: object
}

export interface Condition {
  readonly code: string
  readonly holds: boolean
  /** Null if unknown. */
  readonly since: string | null
  readonly who: readonly Responsible[]
  readonly action: Action | null
  /** Why the process failed, if it did. */
  readonly reason?: string
  /** How the execution stands at each node, for the condition that waits for it. */
  readonly nodes?: readonly NodeExecution[]
}

/** What conditions are explained with. */
export interface ExplanationContext {
  readonly facts: AnalysisFacts
  readonly nodes: readonly NodeState[]
  readonly executions: readonly NodeExecution[]
  readonly lastChanges: ReadonlyMap<string, Date>
  readonly problems: Problems
}

type ConditionDetails = Omit<Condition, 'code' | 'holds'>
type Explainer = (context: ExplanationContext) => ConditionDetails

/** A condition that is stored in a column of the analysis. */
const explainColumn =
  (
    column: string,
    who: (analysis: Row<typeof Analysis>) => Responsible,
    action: (analysis: Row<typeof Analysis>) => Action | null
  ): Explainer =>
  ({ facts: { analysis }, lastChanges }) => ({
    since: (lastChanges.get(column) ?? new Date(analysis.createdAt)).toISOString(),
    who: [who(analysis)],
    action: action(analysis),
  })

/** A condition that every assigned node has to meet. */
const explainNodes =
  (
    isMet: (node: NodeState) => boolean,
    since: (node: NodeState) => Date,
    action: (node: NodeState) => Action | null
  ): Explainer =>
  ({ nodes, facts: { analysis } }) => {
    const missing = nodes.filter((node) => !isMet(node))
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
const realmOfAnalysis = ({ realmId }: Row<typeof Analysis>): Responsible => ({
  type: 'realm',
  realmId,
})
const worker = (): Responsible => ({ type: 'worker' })
const sendCommand =
  (name: string) =>
  ({ id }: Row<typeof Analysis>): Action => ({
    method: 'POST',
    path: `/analyses/${id}/command`,
    body: { command: name },
  })
const assignNode = ({ id }: Row<typeof Analysis>): Action => ({
  method: 'POST',
  path: '/analysis-nodes',
  body: { analysisId: id, nodeId: null },
})
const setColumn =
  (name: ColumnName<typeof Analysis>) =>
  ({ id }: Row<typeof Analysis>): Action => ({
    method: 'POST',
    path: `/analyses/${id}`,
    body: { [name]: null },
  })
const setRoot = (): Action => ({
  method: 'POST',
  path: '/analysis-bucket-files/:id',
  body: { root: true },
})

/** Whether a process can be started; adds the problem of its last run. */
const explainStart =
  (process: ProcessName): Explainer =>
  (context) => {
    const details = explainColumn(
      `${process}_status`,
      worker,
      sendCommand(`${process}Check`)
    )(context)
    const reason = context.problems[process]
    return { ...details, ...(reason && { reason }) }
  }

const explainExecution = explainNodes(
  ({ isExecuted }) => isExecuted,
  ({ executedSince }) => executedSince,
  () => null
)

/** How each condition of a phase is explained. */
const EXPLANATIONS: Record<ConditionName, Explainer> = {
  neverBuilt: explainColumn('build_status', realmOfAnalysis, sendCommand('configurationUnlock')),
  defaultNode: explainColumn('configuration_node_default_valid', realmOfAnalysis, assignNode),
  aggregatorNode: explainColumn('configuration_node_aggregator_valid', realmOfAnalysis, assignNode),
  entrypoint: explainColumn('configuration_entrypoint_valid', realmOfAnalysis, setRoot),
  image: explainColumn('configuration_image_valid', realmOfAnalysis, setColumn('masterImageId')),
  projectApprovals: explainNodes(
    ({ isInProject }) => isInProject,
    ({ inProjectSince }) => inProjectSince,
    ({ projectNodeId }) =>
      projectNodeId === null
        ? null
        : { method: 'POST', path: `/project-nodes/${projectNodeId}`, body: APPROVED }
  ),
  nodeApprovals: explainNodes(
    ({ isApproved }) => isApproved,
    ({ approvedSince }) => approvedSince,
    ({ assignmentId }) => ({
      method: 'POST',
      path: `/analysis-nodes/${assignmentId}`,
      body: APPROVED,
    })
  ),
  buildStartable: explainStart('build'),
  built: explainColumn('build_status', worker, sendCommand('buildCheck')),
  signature: explainColumn('build_status', worker, sendCommand('buildCheck')),
  registry: explainColumn(
    'registry_id',
    () => ({ type: 'operator' }),
    () => ({ method: 'POST', path: '/registries' })
  ),
  nodeRegistries: explainNodes(
    ({ hasRegistry }) => hasRegistry,
    ({ registrySince }) => registrySince,
    ({ nodeId }) => ({ method: 'POST', path: `/nodes/${nodeId}`, body: { registryId: null } })
  ),
  distributionStartable: explainStart('distribution'),
  executed: (context) => ({ ...explainExecution(context), nodes: context.executions }),
}

const APPROVED = { approvalStatus: 'approved' }

/** One condition of a phase: whether it holds, since when, and who has to do what. */
export function explainCondition(name: ConditionName, context: ExplanationContext): Condition {
  const details = EXPLANATIONS[name](context)
  const { code, holds: isMet } = GUARDS[name]
  const holds = isMet(context.facts)
  return { code, holds, ...details, ...(holds && { who: [], action: null }) }
}
