import type { Analysis } from '#core/analyses/analysis'
import type { Row } from '#records/row'
import type { GuardName } from './guards.js'

/** The phases of an analysis in order, each with the guards that must hold before it ends. */
export const PHASES = {
  configuration: ['neverBuilt', 'defaultNode', 'aggregatorNode', 'entrypoint', 'image'],
  build: ['projectApprovals', 'nodeApprovals', 'buildStartable'],
  distribution: [
    'built',
    'signature',
    'projectApprovals',
    'nodeApprovals',
    'registry',
    'nodeRegistries',
    'distributionStartable',
  ],
  execution: ['executed'],
  finished: [],
} as const satisfies Record<string, readonly GuardName[]>

export type Phase = keyof typeof PHASES

/** A guard that a phase shows as a condition. */
export type ConditionName = (typeof PHASES)[Phase][number]

export function phaseOf(analysis: Row<typeof Analysis>): Phase {
  if (!analysis.configurationLocked) {
    return 'configuration'
  }
  if (analysis.buildStatus !== 'executed') {
    return 'build'
  }
  if (analysis.distributionStatus !== 'executed') {
    return 'distribution'
  }
  return analysis.executionStatus === 'executed' ? 'finished' : 'execution'
}
