/** What analyses can be made to do: the name that the interface has for it, and the command of hubctl. */
export const ANALYSIS_COMMANDS = {
  configurationLock: {
    name: 'lock',
    description: 'lock the configuration, so that nodes can approve it',
    done: (analysis: string) => `The configuration of the analysis ${analysis} is locked`,
  },
  configurationUnlock: {
    name: 'unlock',
    description: 'unlock the configuration, which takes approvals back',
    done: (analysis: string) => `The configuration of the analysis ${analysis} is unlocked`,
  },
  buildStart: {
    name: 'build',
    description: 'have it built',
    done: (analysis: string) => `The build of the analysis ${analysis} was started`,
  },
  distributionStart: {
    name: 'distribute',
    description: 'have it sent to its nodes',
    done: (analysis: string) => `The distribution of the analysis ${analysis} was started`,
  },
  buildCheck: {
    name: 'check-build',
    description: 'have the worker look at how the build is',
    done: (analysis: string) => `The build of the analysis ${analysis} is being checked`,
  },
  distributionCheck: {
    name: 'check-distribution',
    description: 'have the worker look at how the distribution is',
    done: (analysis: string) => `The distribution of the analysis ${analysis} is being checked`,
  },
  storageCheck: {
    name: 'check-storage',
    description: 'have the buckets made that are missing',
    done: (analysis: string) => `The buckets of the analysis ${analysis} are being checked`,
  },
} as const

export type AnalysisCommand = keyof typeof ANALYSIS_COMMANDS

const COMMAND = new RegExp(
  String.raw`(?:the command )?\b(${Object.keys(ANALYSIS_COMMANDS).join('|')})\b`,
  'g'
)

/** A text of the platform in which commands have the names that they have here. */
export function withHubctlCommands(text: string): string {
  return text.replaceAll(
    COMMAND,
    (_, command: AnalysisCommand) => `hubctl analysis ${ANALYSIS_COMMANDS[command].name}`
  )
}
