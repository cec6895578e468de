import type { BackoffPolicy } from '#kernel/backoff'

/** A sort of work that is done later. Of each key of a queue there is one task at most: a newer one takes its place. */
export interface TaskQueue {
  readonly name: string
  /** The table its tasks stand in: `tasks`, which core has, unless named here. */
  readonly table?: string
  /** How long a task is left alone after an attempt that failed. */
  readonly backOff: BackoffPolicy
  /** SQL over a task `t` at the time `$1`; what it is true for is not taken, however long it is due. */
  readonly pausedWhile?: string
}

/** What is to be done, as it is written down in the transaction that makes it necessary. */
export interface NewTask<Data = unknown> {
  readonly key: string
  /** Never a secret: it is kept as it is. */
  readonly data: Data
  /** Milliseconds since the epoch; now, unless named here. */
  readonly dueAt?: number
}

/** A task that a process has taken: until its lease ends no other process gets it. */
export interface Task<Data = unknown> {
  readonly key: string
  readonly data: Data
  readonly attempts: number
  /** Grows each time the task is put again; one that was put again meanwhile stays due. */
  readonly revision: number
  /** When the lease may end, by what the taker asked for: another process that takes the task sets a later time. */
  readonly leases: Date[]
}
