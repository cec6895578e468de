import { Failure } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { ProcessStatus } from '#core/analyses/process_status'
import type { AnalysisFacts } from './analysis_facts.js'
import { STARTABLE } from './processes.js'

/** A precondition of a command. */
export interface Guard {
  readonly code: string
  /** What is wrong and what to do. */
  readonly message: string
  readonly holds: (facts: AnalysisFacts) => boolean
}

const isOneOf = (statuses: readonly (ProcessStatus | null)[], status: string | null) =>
  statuses.some((one) => one === status)

/** All guards, by the names that commands refer to. */
export const GUARDS = {
  unlocked: {
    code: 'configuration_locked',
    message: 'The configuration is already locked: unlock it with the command configurationUnlock',
    holds: ({ analysis }) => !analysis.configurationLocked,
  },
  locked: {
    code: 'configuration_unlocked',
    message: 'The configuration is not locked: lock it with the command configurationLock',
    holds: ({ analysis }) => analysis.configurationLocked,
  },
  neverBuilt: {
    code: 'build_initialized',
    message: 'A build was started: reset it with the command configurationUnlock',
    holds: ({ analysis }) => analysis.buildStatus === null,
  },
  defaultNode: {
    code: 'default_node_required',
    message: 'No node with data is assigned: assign a node of the type default',
    holds: ({ analysis }) => analysis.configurationNodeDefaultValid,
  },
  aggregatorNode: {
    code: 'aggregator_node_required',
    message: 'No aggregator is assigned: assign a node of the type aggregator',
    holds: ({ analysis }) => analysis.configurationNodeAggregatorValid,
  },
  entrypoint: {
    code: 'entrypoint_required',
    message: 'The analysis has no entry point: upload the code and mark one file as root',
    holds: ({ analysis }) => analysis.configurationEntrypointValid,
  },
  image: {
    code: 'image_required',
    message: 'The analysis has no image: set masterImageId',
    holds: ({ analysis }) => analysis.configurationImageValid,
  },
  unlockable: {
    code: 'not_unlockable',
    message:
      'The analysis is being built or was built: unlock it before the build, or after the build has failed',
    holds: ({ analysis }) => isOneOf([...STARTABLE, 'stopping'], analysis.buildStatus),
  },
  projectApprovals: {
    code: 'project_approval_required',
    message: 'A node has not approved the project: its realm has to approve it',
    holds: ({ areProjectsApproved }) => areProjectsApproved,
  },
  nodeApprovals: {
    code: 'nodes_approval_required',
    message:
      'A node has not approved the current content of the analysis: its realm has to approve it',
    holds: ({ analysis, isCodeAsStored }) => analysis.buildNodesValid && isCodeAsStored,
  },
  buildStartable: {
    code: 'build_not_startable',
    message: 'The build is running or finished',
    holds: ({ analysis }) => isOneOf(STARTABLE, analysis.buildStatus),
  },
  buildStarted: {
    code: 'build_not_initialized',
    message: 'No build was started: start one with the command buildStart',
    holds: ({ analysis }) => analysis.buildStatus !== null,
  },
  built: {
    code: 'build_not_finished',
    message:
      'The build is not finished: start it with the command buildStart and wait until it has finished',
    holds: ({ analysis }) => analysis.buildStatus === 'executed',
  },
  signature: {
    code: 'image_signature_invalid',
    message:
      'The image has no valid signature of this hub: check it with the command buildCheck, then build it again',
    holds: ({ isBuildUnsigned: isBuildUnfit }) => !isBuildUnfit,
  },
  distributionStartable: {
    code: 'distribution_not_startable',
    message: 'The distribution is running or finished',
    holds: ({ analysis }) => isOneOf(STARTABLE, analysis.distributionStatus),
  },
  distributionStarted: {
    code: 'distribution_not_initialized',
    message: 'No distribution was started: start one with the command distributionStart',
    holds: ({ analysis }) => analysis.distributionStatus !== null,
  },
  executed: {
    code: 'execution_not_finished',
    message: 'A node has not finished the execution: wait until all nodes have finished',
    holds: ({ analysis }) => analysis.executionStatus === 'executed',
  },
  registry: {
    code: 'registry_unconfigured',
    message: 'There is no registry for images: an operator has to create one',
    holds: ({ analysis, firstRegistryId }) => (analysis.registryId ?? firstRegistryId) !== null,
  },
  nodeRegistries: {
    code: 'node_registry_unassigned',
    message: 'A node has no registry to pull images from: its realm has to assign one',
    holds: ({ nodesWithoutRegistry }) => nodesWithoutRegistry.length === 0,
  },
} as const satisfies Record<string, Guard>

export type GuardName = keyof typeof GUARDS

export function findUnmet(names: readonly GuardName[], facts: AnalysisFacts): Guard[] {
  return names.map((name): Guard => GUARDS[name]).filter((guard) => !guard.holds(facts))
}

/** A command whose guards failed. Clients recognize the guards by their codes. */
export class CommandRefused extends Failure {
  constructor(unmet: readonly Guard[], { nodesWithoutRegistry }: AnalysisFacts) {
    const issues = unmet.map(({ code, message }) =>
      code === GUARDS.nodeRegistries.code
        ? issue(code, [], message, { meta: { nodes: nodesWithoutRegistry } })
        : issue(code, [], message)
    )
    super(400, 'ANALYSIS_ERROR', unmet[0]!.message, { issues })
  }
}
