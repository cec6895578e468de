import { COMMAND_QUEUES, EVENT_KEYS } from '#bus/names'
import type { ProcessStatus } from '#core/analyses/process_status'

/** What workers do for an analysis, in order. */
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

/** States in which a process may be started or restarted. */
export const STARTABLE: readonly (ProcessStatus | null)[] = [null, 'failed', 'stopped']

/** States in which a worker is assumed to be active. */
export const RUNNING: readonly ProcessStatus[] = ['starting', 'started', 'stopping', 'executing']

/** The effect of a report on its process. */
export interface Transition {
  /** The states in which the report applies. In any other state it is late or repeated, and ignored. */
  readonly from: readonly ProcessStatus[]
  /** The new state; unchanged if undefined. */
  readonly to?: ProcessStatus | 'as found'
}

/**
 * The reports of workers. A process that failed because its worker was unresponsive continues when the worker reports
 * again. A check reports the actual state, regardless of former reports.
 */
export const REPORTS = {
  executionStarted: { from: ['starting', 'started', 'failed'], to: 'started' },
  executionProgress: { from: ['starting', 'started', 'executing', 'failed'] },
  executionFinished: { from: [...RUNNING, 'failed'], to: 'executed' },
  executionFailed: { from: [...RUNNING, 'failed'], to: 'failed' },
  checkFinished: { from: [...RUNNING, 'stopped', 'executed', 'failed'], to: 'as found' },
} as const satisfies Record<string, Transition>

export type ReportName = keyof typeof REPORTS

/** Whether a report applies to a process in this state. */
export function isTimely(report: ReportName, status: string | null): boolean {
  const { from }: Transition = REPORTS[report]
  return from.some((one) => one === status)
}
