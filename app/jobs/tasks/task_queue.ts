import type { BackoffPolicy } from '#kernel/backoff'

/** A queue of deferred work. It contains at most one task per key: a newer one replaces it. */
export interface TaskQueue {
  readonly name: string
  /** The table of the tasks; core's table `tasks` by default. */
  readonly table?: string
  /** The retry delay after a failed attempt. */
  readonly backOff: BackoffPolicy
  /** SQL condition on a task `t` at time `$1`; tasks that match are not claimed, even if they are due. */
  readonly pausedWhile?: string
}

/** A task to enqueue, in the transaction that makes it necessary. */
export interface NewTask<Data = unknown> {
  readonly key: string
  /** Must not contain secrets: it is stored in plain text. */
  readonly data: Data
  /** Milliseconds since the epoch; now by default. */
  readonly dueAt?: number
}

/** A claimed task: no other process can claim it until its lease ends. */
export interface Task<Data = unknown> {
  readonly key: string
  readonly data: Data
  readonly attempts: number
  /** Increases each time the task is enqueued. A task that was enqueued after it was claimed stays due. */
  readonly revision: number
  /**
   * The possible ends of the lease, as set by the claiming process. Another process that claims the task sets a later
   * time.
   */
  readonly leases: Date[]
}
