import { COMMAND_QUEUES, EVENT_KEYS } from '#bus/names'
import type { ProcessStatus } from '#core/analyses/process_status'

/** What workers do for an analysis, one after the other. */
export const PROCESSES = {
  build: {
    queue: COMMAND_QUEUES.analysisBuilder,
    events: EVENT_KEYS.analysisBuilder,
    status: 'buildStatus',
    progress: 'buildProgress',
  },
  distribution: {
    queue: COMMAND_QUEUES.analysisDistributor,
    events: EVENT_KEYS.analysisDistributor,
    status: 'distributionStatus',
    progress: 'distributionProgress',
  },
} as const

export type ProcessName = keyof typeof PROCESSES

/** States in which a process may be begun, for the first time or anew. */
export const STARTABLE: readonly (ProcessStatus | null)[] = [null, 'failed', 'stopped']

/** States in which a worker is believed to be at work. */
export const RUNNING: readonly ProcessStatus[] = ['starting', 'started', 'stopping', 'executing']

/** What a report makes of a process. */
export interface Transition {
  /** The states in which it still means something. In any other it is late, or was told before, and changes nothing. */
  readonly from: readonly ProcessStatus[]
  /** Where the process is then; without it, where it was. */
  readonly to?: ProcessStatus | 'as found'
}

/**
 * What workers tell of a process. A process that was given up goes on, or ends, all the same where its worker says so; what a check finds
 * is about what is there, whatever was told of it.
 */
export const REPORTS = {
  executionStarted: { from: ['starting', 'started', 'failed'], to: 'started' },
  executionProgress: { from: ['starting', 'started', 'executing', 'failed'] },
  executionFinished: { from: [...RUNNING, 'failed'], to: 'executed' },
  executionFailed: { from: [...RUNNING, 'failed'], to: 'failed' },
  checkFinished: { from: [...RUNNING, 'stopped', 'executed', 'failed'], to: 'as found' },
} as const satisfies Record<string, Transition>

export type ReportName = keyof typeof REPORTS

/** Whether a report about a process in this state changes anything. */
export function isTimely(report: ReportName, status: string | null): boolean {
  const { from }: Transition = REPORTS[report]
  return from.some((one) => one === status)
}
