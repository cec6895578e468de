import { Failure } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { ProcessStatus } from '#core/analyses/process_status'
import type { AnalysisFacts } from './analysis_facts.js'
import { STARTABLE } from './processes.js'

/** Something that has to be so before a command is carried out. */
export interface Guard {
  readonly code: string
  /** What to do where it is not so. */
  readonly message: string
  readonly holds: (facts: AnalysisFacts) => boolean
}

const isOneOf = (statuses: readonly (ProcessStatus | null)[], status: string | null) =>
  statuses.some((one) => one === status)

/** Every guard, once, under the name by which commands refer to it. */
export const GUARDS = {
  unlocked: {
    code: 'configuration_locked',
    message: 'The configuration is locked already: unlock it with the command configurationUnlock',
    holds: ({ analysis }) => !analysis.configurationLocked,
  },
  locked: {
    code: 'configuration_unlocked',
    message: 'The configuration is not locked: lock it with the command configurationLock',
    holds: ({ analysis }) => analysis.configurationLocked,
  },
  neverBuilt: {
    code: 'build_initialized',
    message: 'A build was begun: reset it with the command configurationUnlock',
    holds: ({ analysis }) => analysis.buildStatus === null,
  },
  defaultNode: {
    code: 'default_node_required',
    message: 'No node with data is assigned: assign one of the type default',
    holds: ({ analysis }) => analysis.configurationNodeDefaultValid,
  },
  aggregatorNode: {
    code: 'aggregator_node_required',
    message: 'No node that aggregates is assigned: assign one of the type aggregator',
    holds: ({ analysis }) => analysis.configurationNodeAggregatorValid,
  },
  entrypoint: {
    code: 'entrypoint_required',
    message: 'No file is what the analysis starts with: upload the code and make one file its root',
    holds: ({ analysis }) => analysis.configurationEntrypointValid,
  },
  image: {
    code: 'image_required',
    message: 'The analysis has no image to run on: choose one',
    holds: ({ analysis }) => analysis.configurationImageValid,
  },
  unlockable: {
    code: 'not_unlockable',
    message: 'The analysis is being built, or was: it can be unlocked before, or after it failed',
    holds: ({ analysis }) => isOneOf([...STARTABLE, 'stopping'], analysis.buildStatus),
  },
  projectApprovals: {
    code: 'project_approval_required',
    message: 'A node has not agreed to the project yet: its realm has to approve the project',
    holds: ({ areProjectsApproved }) => areProjectsApproved,
  },
  nodeApprovals: {
    code: 'nodes_approval_required',
    message: 'A node has not agreed to the analysis as it is: its realm has to approve it',
    holds: ({ analysis, isCodeAsStored }) => analysis.buildNodesValid && isCodeAsStored,
  },
  buildStartable: {
    code: 'build_not_startable',
    message: 'The build runs already, or is done',
    holds: ({ analysis }) => isOneOf(STARTABLE, analysis.buildStatus),
  },
  buildStarted: {
    code: 'build_not_initialized',
    message: 'No build was begun: begin one with the command buildStart',
    holds: ({ analysis }) => analysis.buildStatus !== null,
  },
  built: {
    code: 'build_not_finished',
    message:
      'The build is not finished: build with the command buildStart, and wait until it is done',
    holds: ({ analysis }) => analysis.buildStatus === 'executed',
  },
  signature: {
    code: 'image_signature_invalid',
    message:
      'The image is not signed as one that this hub has built: have it checked with the command buildCheck, and built again',
    holds: ({ isBuildUnfit }) => !isBuildUnfit,
  },
  distributionStartable: {
    code: 'distribution_not_startable',
    message: 'The distribution runs already, or is done',
    holds: ({ analysis }) => isOneOf(STARTABLE, analysis.distributionStatus),
  },
  distributionStarted: {
    code: 'distribution_not_initialized',
    message: 'No distribution was begun: begin one with the command distributionStart',
    holds: ({ analysis }) => analysis.distributionStatus !== null,
  },
  executed: {
    code: 'execution_not_finished',
    message: 'A node has not finished the execution yet',
    holds: ({ analysis }) => analysis.executionStatus === 'executed',
  },
  registry: {
    code: 'registry_unconfigured',
    message: 'There is no registry for the images: an operator of the platform has to enter one',
    holds: ({ analysis, firstRegistryId }) => (analysis.registryId ?? firstRegistryId) !== null,
  },
  nodeRegistries: {
    code: 'node_registry_unassigned',
    message: 'A node has no registry to get images from: its realm has to choose one',
    holds: ({ nodesWithoutRegistry }) => nodesWithoutRegistry.length === 0,
  },
} as const satisfies Record<string, Guard>

export type GuardName = keyof typeof GUARDS

export function findUnmet(names: readonly GuardName[], facts: AnalysisFacts): Guard[] {
  return names.map((name): Guard => GUARDS[name]).filter((guard) => !guard.holds(facts))
}

/** A command that cannot be carried out as the analysis is. Clients know it by its code. */
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
