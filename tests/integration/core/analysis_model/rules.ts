import { derivedOf, type Nodes } from './derived.js'
import { isStartable, type AnalysisState } from './state.js'

/** Independent of the table of the platform on purpose: the two are compared. */
const GUARDS = {
  configurationLock: [
    'configuration_locked',
    'build_initialized',
    'default_node_required',
    'aggregator_node_required',
    'entrypoint_required',
    'image_required',
  ],
  configurationUnlock: ['configuration_unlocked', 'not_unlockable'],
  buildStart: [
    'configuration_unlocked',
    'project_approval_required',
    'nodes_approval_required',
    'build_not_startable',
  ],
  buildCheck: ['configuration_unlocked', 'build_not_initialized'],
  distributionStart: [
    'build_not_finished',
    'distribution_not_startable',
    'project_approval_required',
    'nodes_approval_required',
    'node_registry_unassigned',
  ],
  distributionCheck: [
    'build_not_initialized',
    'build_not_finished',
    'distribution_not_initialized',
  ],
  storageCheck: [],
} as const

export type CommandName = keyof typeof GUARDS
export type Code = (typeof GUARDS)[CommandName][number]

export const COMMANDS = Object.keys(GUARDS) as CommandName[]

/** All guards except the one for a missing registry: there is one. */
export const CODES = [...new Set(Object.values(GUARDS).flat())]

/** The codes of the unmet guards of a command, in order. */
export function unmetOf(
  command: CommandName,
  analysis: AnalysisState,
  nodes: Nodes,
  isDamaged: boolean
): Code[] {
  const { locked, build, distribution, assignments } = analysis
  const derived = derivedOf(analysis, nodes)
  const assigned = assignments.map(({ node }) => nodes.get(node)!)
  const isMet: Record<Code, boolean> = {
    configuration_locked: !locked,
    configuration_unlocked: locked,
    build_initialized: build.status === null,
    default_node_required: derived.configuration_node_default_valid,
    aggregator_node_required: derived.configuration_node_aggregator_valid,
    entrypoint_required: derived.configuration_entrypoint_valid,
    image_required: derived.configuration_image_valid,
    not_unlockable: isStartable(build.status) || build.status === 'stopping',
    project_approval_required: assigned.every((node) => node.projectDecision === 'approved'),
    nodes_approval_required: derived.build_nodes_valid && !isDamaged,
    build_not_startable: isStartable(build.status),
    build_not_initialized: build.status !== null,
    build_not_finished: build.status === 'executed',
    distribution_not_startable: isStartable(distribution.status),
    distribution_not_initialized: distribution.status !== null,
    node_registry_unassigned: assigned.every((node) => node.hasRegistry),
  }
  return GUARDS[command].filter((code) => !isMet[code])
}
