import type pg from 'pg'

import type { TaskQueue } from '#jobs/tasks/task_queue'
import { Tasks } from '#jobs/tasks/tasks'
import { clock } from '#kernel/clock'
import { ServiceUnavailable } from '#kernel/failures'

/** How long a creation may take before its client counts as left over. */
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
 * What is remembered between the creation of a client at the provider and that of its record here: a task to remove the client,
 * due when the creation has taken too long. The record's own transaction withdraws it, so one that is begun has no record and
 * will never get one. Its key is the id of the record.
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

  /** Part of the record's transaction. Throws where the record came so late that its client is being removed. */
  async fulfil(transaction: pg.ClientBase, recordId: string): Promise<void> {
    if (!(await this.tasks.cancel(recordId, transaction))) {
      throw new ServiceUnavailable('Creating this took too long; try again')
    }
  }

  /** Removes the client at once where the record was not written; then it cannot be any more. */
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
