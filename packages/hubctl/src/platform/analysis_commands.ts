/** Commands of analyses: the name in the API, and the command of hubctl. */
export const ANALYSIS_COMMANDS = {
  configurationLock: {
    name: 'lock',
    description: 'lock the configuration, so that nodes can approve it',
    done: (analysis: string) => `The configuration of the analysis ${analysis} is locked`,
  },
  configurationUnlock: {
    name: 'unlock',
    description: 'unlock the configuration and revoke its approvals',
    done: (analysis: string) => `The configuration of the analysis ${analysis} is unlocked`,
  },
  buildStart: {
    name: 'build',
    description: 'start its build',
    done: (analysis: string) => `The build of the analysis ${analysis} was started`,
  },
  distributionStart: {
    name: 'distribute',
    description: 'start its distribution to its nodes',
    done: (analysis: string) => `The distribution of the analysis ${analysis} was started`,
  },
  buildCheck: {
    name: 'check-build',
    description: 'have the worker check its build',
    done: (analysis: string) => `The build of the analysis ${analysis} is being checked`,
  },
  distributionCheck: {
    name: 'check-distribution',
    description: 'have the worker check its distribution',
    done: (analysis: string) => `The distribution of the analysis ${analysis} is being checked`,
  },
  storageCheck: {
    name: 'check-storage',
    description: 'create its missing buckets',
    done: (analysis: string) => `The buckets of the analysis ${analysis} are being checked`,
  },
} as const

export type AnalysisCommand = keyof typeof ANALYSIS_COMMANDS

const COMMAND = new RegExp(
  String.raw`(?:the command )?\b(${Object.keys(ANALYSIS_COMMANDS).join('|')})\b`,
  'g'
)

/** Replaces command names of the API by those of hubctl. */
export function withHubctlCommands(text: string): string {
  return text.replaceAll(
    COMMAND,
    (_, command: AnalysisCommand) => `hubctl analysis ${ANALYSIS_COMMANDS[command].name}`
  )
}
