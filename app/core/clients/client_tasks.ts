import type pg from 'pg'

import type { TargetPermissions } from '#auth/client_permissions'
import type { TaskQueue } from '#jobs/tasks/task_queue'
import { topicOf } from '#jobs/tasks/task_runner'
import { Tasks } from '#jobs/tasks/tasks'
import { afterCommit, deferToCommit } from '#records/transaction'
import type { Signals } from '#signals/signals'

const QUEUE: TaskQueue = {
  name: 'client',
  backOff: { firstMs: 30_000, longestMs: 10 * 60_000 },
}

/** Something the provider has to be told about the client of a record. */
export interface ClientTask {
  readonly task: 'grant' | 'remove'
  readonly permissions: readonly string[]
  readonly nothingElse: boolean
}

/**
 * What is still to be done at the identity provider for records that are written. A task is written in the transaction of the
 * record and done after it, because the provider is not called while one is open. Its key is the id of the client.
 */
export class ClientTasks extends Tasks<ClientTask> {
  readonly #signals: Pick<Signals, 'notify'>

  constructor(pool: pg.Pool, signals: Pick<Signals, 'notify'>) {
    super(pool, QUEUE)
    this.#signals = signals
  }

  /** Gives a client its permissions once the record it belongs to is kept. */
  scheduleGrant(transaction: pg.ClientBase, clientId: string, permissions: TargetPermissions) {
    const { names, exclusive: nothingElse = false } = permissions
    return this.#enqueue(transaction, clientId, { task: 'grant', permissions: names, nothingElse })
  }

  /** Removes a client once the record it belonged to is gone. */
  scheduleRemoval(transaction: pg.ClientBase, clientId: string): Promise<void> {
    return this.#enqueue(transaction, clientId, {
      task: 'remove',
      permissions: [],
      nothingElse: false,
    })
  }

  async #enqueue(transaction: pg.ClientBase, key: string, data: ClientTask): Promise<void> {
    await deferToCommit(transaction, this.enqueue({ key, data }, transaction))
    afterCommit(transaction, () => this.#signals.notify(topicOf(QUEUE)))
  }
}
