/** The kinds of background work a process can be told to do. */
export const JOB_NAMES = ['bus', 'outbox', 'sweeps', 'worker'] as const

export type JobName = (typeof JOB_NAMES)[number]
