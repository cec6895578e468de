/** The status of a build, a distribution or an execution. Null means not started. */
export const PROCESS_STATUSES = [
  'starting',
  'started',
  'stopping',
  'stopped',
  'executing',
  'executed',
  'failed',
] as const

export type ProcessStatus = (typeof PROCESS_STATUSES)[number]
