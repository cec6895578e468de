import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import type { Task, TaskQueue } from '#jobs/tasks/task_queue'
import { Tasks } from '#jobs/tasks/tasks'
import { clock } from '#kernel/clock'
import { seal, unseal } from '#records/sealing'
import type { Account, RegistryAccess, DesiredWorkerAccount } from './registry_driver.js'
import { IS_REGISTRY_PAUSED } from './is_registry_paused.js'

const SECRET_PURPOSE = 'registry worker account'

export const WORKER_QUEUE: TaskQueue = {
  name: 'registry-worker',
  backOff: { firstMs: 15_000, longestMs: 60 * 60_000 },
  pausedWhile: IS_REGISTRY_PAUSED,
}

export interface RegistryReference {
  readonly registryId: string
}

/** `carrying` pushes builds and pulls master images; `master` pushes master images. */
export type WorkerAccountPurpose = 'carrying' | 'master'

export const WORKER_ACCOUNT_PURPOSES: readonly WorkerAccountPurpose[] = ['carrying', 'master']

const COLUMNS: Readonly<Record<WorkerAccountPurpose, string>> = {
  carrying: 'account',
  master: 'master_account',
}

/** The desired accounts of the worker in a registry. */
export interface WorkerAccountState {
  readonly access: RegistryAccess
  readonly isRemoving: boolean
  readonly desired: Readonly<
    Record<WorkerAccountPurpose, Pick<DesiredWorkerAccount, 'account' | 'projects'>>
  >
}

interface WorkerProjectRow {
  readonly name: string
  readonly isMaster: boolean
}

/** The linked projects that the worker pushes to or pulls from: of master images, builds and nodes. */
const SELECT_STATE = `select r.host, r.account_name as "accountName", r.account_secret as "accountSecret",
    coalesce(s.is_removing, false) as "isRemoving", ${selectAccount('carrying')}, ${selectAccount('master')},
    coalesce(json_agg(json_build_object('name', p.external_name,
        'isMaster', p.type = 'masterImages' and n.id is null) order by p.external_name)
      filter (where p.type in ('masterImages', 'incoming', 'node') or n.id is not null), '[]') as projects
  from registries r
  left join registry_states s on s.registry_id = r.id
  left join registry_workers w on w.registry_id = r.id
  left join registry_projects p on p.registry_id = r.id and p.external_id is not null
  left join lateral (
    select id from nodes where registry_project_id = p.id limit 1) n on true
  where r.id = $1 group by r.id, s.registry_id, w.registry_id`

const upsertAccount = (account: string) => `insert into registry_workers as w
    (registry_id, ${account}_id, ${account}_name, ${account}_secret, reconciled_at)
  select id, $2, $3, $4, $5 from registries where id = $1 and host = $6 for key share
  on conflict (registry_id) do update set ${account}_id = excluded.${account}_id, problem = null,
    ${account}_name = excluded.${account}_name, ${account}_secret = excluded.${account}_secret,
    reconciled_at = excluded.reconciled_at`

/** The accounts of the worker in registries, and their tasks. Each reconciled link enqueues a task of its registry. */
@inject()
export class WorkerAccounts {
  readonly tasks: Tasks<RegistryReference>
  readonly #pool: pg.Pool

  constructor(pool: CorePool) {
    this.#pool = pool
    this.tasks = new Tasks(pool, WORKER_QUEUE)
  }

  enqueue(transaction: pg.ClientBase, registryId: string): Promise<void> {
    return this.tasks.enqueue({ key: registryId, data: { registryId } }, transaction)
  }

  /** Requests new secrets from the registry. */
  async rotate(transaction: pg.ClientBase, registryId: string): Promise<void> {
    await transaction.query(
      'update registry_workers set account_secret = null, master_account_secret = null where registry_id = $1',
      [registryId]
    )
    await this.enqueue(transaction, registryId)
  }

  /** Deletes the stored accounts after the host of a registry changed. Those at the former host stay there. */
  async reset(transaction: pg.ClientBase, registryId: string): Promise<void> {
    await transaction.query('delete from registry_workers where registry_id = $1', [registryId])
    await this.enqueue(transaction, registryId)
  }

  async find(registryId: string): Promise<WorkerAccountState | undefined> {
    const { rows } = await this.#pool.query(SELECT_STATE, [registryId])
    const [row] = rows
    if (!row) {
      return undefined
    }
    const { host, accountName, accountSecret, isRemoving, carrying, master } = row
    const access = { host, accountName, accountSecret: unseal('registry account', accountSecret) }
    const projects: readonly WorkerProjectRow[] = row.projects
    return {
      access,
      isRemoving,
      desired: {
        carrying: {
          account: unsealAccount(carrying),
          projects: projects.map(({ name, isMaster }) => ({ name, isPushedTo: !isMaster })),
        },
        master: {
          account: unsealAccount(master),
          projects: projects
            .filter(({ isMaster }) => isMaster)
            .map(({ name }) => ({ name, isPushedTo: true })),
        },
      },
    }
  }

  /** Stores an account, or that there is none, unless the host of the registry changed meanwhile. */
  async settle(
    { registryId }: RegistryReference,
    host: string,
    purpose: WorkerAccountPurpose,
    account: Account | null
  ): Promise<void> {
    const { id, name, secret } = account ?? { id: null, name: null, secret: null }
    const values = [registryId, id, name, secret && seal(SECRET_PURPOSE, secret), now(), host]
    await this.#pool.query(upsertAccount(COLUMNS[purpose]), values)
  }

  async recordProblem(
    { data: { registryId } }: Task<RegistryReference>,
    problem: string
  ): Promise<void> {
    await this.#pool.query(
      `insert into registry_workers (registry_id, problem)
       select id, $2 from registries where id = $1 for key share
       on conflict (registry_id) do update set problem = excluded.problem`,
      [registryId, problem]
    )
  }
}

const now = () => new Date(clock.now())

/** Returns null if the secret cannot be unsealed. */
function unsealAccount(stored: Record<keyof Account, string | null>): Account | null {
  const { id, name } = stored
  const secret = unseal(SECRET_PURPOSE, stored.secret)
  return id !== null && name !== null && secret !== null ? { id, name, secret } : null
}

function selectAccount(purpose: WorkerAccountPurpose): string {
  const column = `w.${COLUMNS[purpose]}`
  return `json_build_object('id', ${column}_id, 'name', ${column}_name, 'secret', ${column}_secret) as ${purpose}`
}
