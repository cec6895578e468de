/** How far something is that runs elsewhere: a build, a distribution, an execution. Null is what has not begun. */
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
