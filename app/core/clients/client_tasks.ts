import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import type { TargetPermissions } from '#auth/client_permissions'
import type { TaskQueue } from '#jobs/tasks/task_queue'
import { topicOf } from '#jobs/tasks/task_runner'
import { Tasks } from '#jobs/tasks/tasks'
import { afterCommit, deferToCommit } from '#records/transaction'
import { Signals } from '#signals/signals'

const QUEUE: TaskQueue = {
  name: 'client',
  backOff: { firstMs: 30_000, longestMs: 10 * 60_000 },
}

/** A pending change of a client at the provider. */
export interface ClientTask {
  readonly task: 'grant' | 'remove'
  readonly permissions: readonly string[]
  readonly nothingElse: boolean
}

/**
 * Pending changes at the identity provider. A task is enqueued in the transaction of the record and runs after it,
 * because the provider is not called within a transaction. Its key is the id of the client.
 */
@inject()
export class ClientTasks extends Tasks<ClientTask> {
  readonly #signals: Signals

  constructor(pool: CorePool, signals: Signals) {
    super(pool, QUEUE)
    this.#signals = signals
  }

  /** Grants permissions to a client once the transaction of its record commits. */
  scheduleGrant(transaction: pg.ClientBase, clientId: string, permissions: TargetPermissions) {
    const { names, exclusive: nothingElse = false } = permissions
    return this.#enqueue(transaction, clientId, { task: 'grant', permissions: names, nothingElse })
  }

  /** Removes a client once the deletion of its record commits. */
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
