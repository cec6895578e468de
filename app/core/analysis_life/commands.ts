import type { GuardName } from './guards.js'
import type { ProcessName } from './processes.js'

/** What a command does if all of its guards hold. */
type Effect = 'lock' | 'unlock' | 'start' | 'check' | 'requestBuckets'

export interface Command {
  /** In the order in which failures are reported. */
  readonly guards: readonly GuardName[]
  readonly effect: Effect
  readonly process?: ProcessName
}

/** The commands of an analysis, from its configuration to its distribution. */
export const COMMANDS = {
  configurationLock: {
    guards: ['unlocked', 'neverBuilt', 'defaultNode', 'aggregatorNode', 'entrypoint', 'image'],
    effect: 'lock',
  },
  configurationUnlock: { guards: ['locked', 'unlockable'], effect: 'unlock' },
  buildStart: {
    guards: ['locked', 'projectApprovals', 'nodeApprovals', 'buildStartable'],
    effect: 'start',
    process: 'build',
  },
  buildCheck: { guards: ['locked', 'buildStarted'], effect: 'check', process: 'build' },
  distributionStart: {
    guards: [
      'built',
      'signature',
      'distributionStartable',
      'projectApprovals',
      'nodeApprovals',
      'registry',
      'nodeRegistries',
    ],
    effect: 'start',
    process: 'distribution',
  },
  distributionCheck: {
    guards: ['buildStarted', 'built', 'distributionStarted'],
    effect: 'check',
    process: 'distribution',
  },
  storageCheck: { guards: [], effect: 'requestBuckets' },
} as const satisfies Record<string, Command>

export type CommandName = keyof typeof COMMANDS

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[]
