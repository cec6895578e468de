import { identityPool } from '#identity/embedded/database'
import type { TaskQueue } from '#jobs/tasks/task_queue'
import { Tasks } from '#jobs/tasks/tasks'

/** An ended session. A database trigger inserts the task. */
export interface Logout {
  readonly sessionId: string
  readonly userId: string
  readonly realmId: string
  readonly realmName: string
  readonly clientId: string
}

const QUEUE: TaskQueue = {
  name: 'logout',
  table: 'identity_tasks',
  backOff: { firstMs: 5_000, longestMs: 10 * 60_000 },
}

/** The pending logout notifications. */
export const logoutTasks = (): Tasks<Logout> => new Tasks(identityPool(), QUEUE)
