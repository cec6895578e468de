import type pg from 'pg'

import type { TaskQueue } from '#jobs/tasks/task_queue'
import { Tasks } from '#jobs/tasks/tasks'
import { clock } from '#kernel/clock'
import { ServiceUnavailable } from '#kernel/failures'

/** How long a creation may take before its client counts as orphaned. */
const GRACE_MS = 10 * 60_000

const QUEUE: TaskQueue = {
  name: 'client-intent',
  backOff: { firstMs: 10_000, longestMs: 5 * 60_000 },
}

/** A record that is about to be created with a client of its own. */
export interface ClientIntent {
  readonly recordId: string
  readonly realmId: string
}

/**
 * Intents to create a client at the provider together with a record. Each is a task that removes the client if the
 * creation takes too long. The transaction of the record withdraws the task, so a task that runs has no record and
 * never gets one. Its key is the id of the record.
 */
export class ClientIntents {
  readonly tasks: Tasks<ClientIntent>

  constructor(pool: pg.Pool) {
    this.tasks = new Tasks(pool, QUEUE)
  }

  async write(intent: ClientIntent): Promise<void> {
    const dueAt = clock.now() + GRACE_MS
    await this.tasks.enqueue({ key: intent.recordId, data: intent, dueAt })
  }

  /** Runs in the transaction of the record. Throws if the creation took so long that the client is being removed. */
  async fulfil(transaction: pg.ClientBase, recordId: string): Promise<void> {
    if (!(await this.tasks.cancel(recordId, transaction))) {
      throw new ServiceUnavailable('The creation took too long: try again')
    }
  }

  /** Removes the client at once if the record was not written. The record cannot be written afterwards. */
  async abandon(recordId: string, removeClient: () => Promise<void>): Promise<void> {
    const task = await this.tasks.claimEarly(recordId)
    if (!task) {
      return
    }
    try {
      await removeClient()
      await this.tasks.finish(task)
    } catch (error) {
      await this.tasks.release(task, 0)
      throw error
    }
  }
}
