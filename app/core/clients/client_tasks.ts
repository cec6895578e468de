import type pg from 'pg'

import type { WantedPermissions } from '#auth/client_permissions'
import { afterCommit, leaveLast } from '#records/transaction'
import { clock } from '#kernel/clock'
import { signals } from '#signals/current'

/** What processes tell each other when there is something to do at the identity provider. */
export const CLIENT_TASKS_TOPIC = 'client-tasks'

const BATCH = 8
/** How long whoever took a task has for it; after that it is somebody else's, and later with each attempt. */
const LEASE_MS = 30_000
const LONGEST_LEASE_MS = 10 * 60_000

/** Something the provider has to be told about the client of a record. */
export interface ClientTask {
  readonly clientId: string
  readonly task: 'grant' | 'remove'
  readonly permissions: readonly string[]
  readonly nothingElse: boolean
  readonly attempts: number
}

/**
 * What is still to be done at the identity provider for records that are written. A task is written in the transaction of the
 * record and done after it, because the provider is not called while one is open.
 */
export class ClientTasks {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Gives a client its permissions once the record it belongs to is kept. */
  grantLater(transaction: pg.ClientBase, clientId: string, permissions: WantedPermissions) {
    const { names, nothingElse = false } = permissions
    return write(transaction, [clientId, 'grant', names, nothingElse])
  }

  /** Removes a client once the record it belonged to is gone. */
  removeLater(transaction: pg.ClientBase, clientId: string): Promise<void> {
    return write(transaction, [clientId, 'remove', [], false])
  }

  /** Some of the tasks that are due; whoever takes one finishes it before its lease ends. */
  async take(): Promise<ClientTask[]> {
    const now = clock.now()
    const { rows } = await this.#pool.query<ClientTask>({
      name: 'take-client-tasks',
      text: `update client_tasks t set attempts = t.attempts + 1,
          due_at = $1::timestamptz + least($2 * power(2, least(t.attempts, 16)), $3) * interval '1 millisecond'
        from (select client_id from client_tasks where due_at <= $1 order by due_at limit ${BATCH}
              for update skip locked) due
        where t.client_id = due.client_id
        returning t.client_id as "clientId", t.task, t.permissions, t.nothing_else as "nothingElse", t.attempts`,
      values: [new Date(now), LEASE_MS, LONGEST_LEASE_MS],
    })
    return rows
  }

  /** The task is done, unless another one took its place meanwhile. */
  async finish({ clientId, task }: ClientTask): Promise<void> {
    await this.#pool.query({
      name: 'finish-client-task',
      text: 'delete from client_tasks where client_id = $1 and task = $2',
      values: [clientId, task],
    })
  }
}

async function write(transaction: pg.ClientBase, values: unknown[]): Promise<void> {
  const written = transaction.query({
    name: 'write-client-task',
    text: `insert into client_tasks (client_id, task, permissions, nothing_else, due_at)
      values ($1, $2, $3, $4, $5)
      on conflict (client_id) do update set task = excluded.task, permissions = excluded.permissions,
        nothing_else = excluded.nothing_else, attempts = 0, due_at = excluded.due_at`,
    values: [...values, new Date(clock.now())],
  })
  await leaveLast(transaction, written)
  afterCommit(transaction, () => signals.wake(CLIENT_TASKS_TOPIC))
}
