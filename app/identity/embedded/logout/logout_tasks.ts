import { identityPool } from '#identity/embedded/database'
import type { TaskQueue } from '#jobs/tasks/task_queue'
import { Tasks } from '#jobs/tasks/tasks'

/** A session that ended; the database writes it down with the end itself. */
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

/** The logouts that clients are still to be told of. */
export const logoutTasks = (): Tasks<Logout> => new Tasks(identityPool(), QUEUE)
