import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import type { Task, TaskQueue } from '#jobs/tasks/task_queue'
import { Tasks } from '#jobs/tasks/tasks'
import { clock } from '#kernel/clock'
import { seal, unseal } from '#records/sealing'
import { IS_REGISTRY_PAUSED } from './is_registry_paused.js'
import { WorkerAccounts } from './worker_accounts.js'

const QUEUE: TaskQueue = {
  name: 'registry-link',
  backOff: { firstMs: 15_000, longestMs: 60 * 60_000 },
  pausedWhile: IS_REGISTRY_PAUSED,
}

/** How long a registry is paused that is unreachable, or rejects the account of the platform for the first time. */
const PAUSE_MS = 30_000
/** Each further refusal doubles the pause, up to an hour: others may lock an account that fails often. */
const MAX_DOUBLINGS = 7

/** A name in a registry. */
export interface LinkKey {
  readonly registryId: string
  readonly externalName: string
}

export interface RegistryLink extends LinkKey {
  /** Whether it is to be removed from the registry although its record stays. */
  readonly isDetached: boolean
  /** Whether the project existed before the platform linked it. Null until that is known. */
  readonly isAdopted: boolean | null
  /** The registry project that owns the link, or owned it until it is removed from the registry. */
  readonly projectId: string | null
  /** The registry project for which an administrator adopts it, whoever created it. */
  readonly adoptedForProjectId: string | null
  readonly accountId: string | null
  readonly newSecret: string | null
}

/** A registry project with its name in the registry. */
export interface NamedRegistryProject extends LinkKey {
  readonly id: string
}

interface Adoption {
  readonly isAdopted: boolean | null
  readonly projectId: string
  readonly host: string
}

const LINK_KEY = `l.registry_id as "registryId", l.external_name as "externalName"`

const COLUMNS = `${LINK_KEY}, l.is_detached as "isDetached", l.is_adopted as "isAdopted",
  l.project_id as "projectId", l.adopted_for_project_id as "adoptedForProjectId", l.account_id as "accountId",
  l.new_secret as "newSecret"`

/** Whether a link `l` has a task. */
export const IS_DUE = `exists (select 1 from tasks t
  where t.queue = '${QUEUE.name}' and t.key = l.registry_id || '/' || l.external_name)`

export const taskKey = ({ registryId, externalName }: LinkKey): string =>
  `${registryId}/${externalName}`

/** All writers use this order, which prevents deadlocks. */
const sortByKey = <T extends { readonly key: string }>(tasks: readonly T[]): T[] =>
  tasks.toSorted((a, b) => (a.key < b.key ? -1 : 1))

const toTask = ({ registryId, externalName }: LinkKey) => ({
  key: taskKey({ registryId, externalName }),
  data: { registryId, externalName },
})

/**
 * The names that the platform uses in registries. A link is stored before the first request to a registry, and deleted after
 * the registry removed the project. A task per link reconciles it with the records.
 */
@inject()
export class RegistryLinks {
  readonly tasks: Tasks<LinkKey>
  readonly #pool: pg.Pool
  readonly #workers: WorkerAccounts

  constructor(pool: CorePool, workers: WorkerAccounts) {
    this.#pool = pool
    this.#workers = workers
    this.tasks = new Tasks(pool, QUEUE)
  }

  /**
   * Locks the registry before its links, as every writer does. A second write of a row checks its foreign key again, and
   * would deadlock with the removal of the registry.
   */
  async lockRegistry(
    transaction: pg.ClientBase,
    { registryId }: Pick<LinkKey, 'registryId'>
  ): Promise<void> {
    await transaction.query('select 1 from registries where id = $1 for key share', [registryId])
  }

  /** Locks the registry of a project, before the project is locked. */
  async lockRegistryOfProject(transaction: pg.ClientBase, projectId: string): Promise<void> {
    await transaction.query(
      `select 1 from registries r join registry_projects p on p.registry_id = r.id
       where p.id = $1 for key share of r`,
      [projectId]
    )
  }

  /** Enqueues links. Their rows have to be written before their tasks, which prevents deadlocks. */
  async enqueueAll(transaction: pg.ClientBase, keys: readonly LinkKey[]): Promise<void> {
    for (const task of sortByKey(keys.map(toTask))) {
      await this.tasks.enqueue(task, transaction)
    }
  }

  /** Enqueues the links that have no task, and returns their keys. */
  async enqueueMissing(transaction: pg.ClientBase, keys: readonly LinkKey[]): Promise<LinkKey[]> {
    const enqueued = await this.tasks.enqueueMissing(sortByKey(keys.map(toTask)), transaction)
    return keys.filter((key) => enqueued.has(taskKey(key)))
  }

  /**
   * Requests that a registry project is linked, or unlinked while its registry is being removed. Returns undefined if there is
   * no such project. The previous owner of the name stays stored until it is removed from the registry.
   */
  async requestLink(
    transaction: pg.ClientBase,
    projectId: string,
    newSecret: string | null = null
  ): Promise<LinkKey | undefined> {
    const { rows } = await transaction.query<LinkKey>(
      `insert into registry_links as l
         (registry_id, external_name, is_detached, new_secret, project_id, account_id)
       select p.registry_id, p.external_name, coalesce(s.is_removing, false), $2, p.id, p.account_id
       from registry_projects p join registries r on r.id = p.registry_id
       left join registry_states s on s.registry_id = r.id where p.id = $1 for key share of r
       on conflict (registry_id, external_name) do update set is_detached = excluded.is_detached,
         new_secret = coalesce(excluded.new_secret, l.new_secret),
         project_id = case when l.is_adopted is null then excluded.project_id else l.project_id end
       returning ${LINK_KEY}`,
      [projectId, newSecret && seal('chosen registry secret', newSecret)]
    )
    await this.enqueueAll(transaction, rows)
    return rows[0]
  }

  /** Allows the link of a registry project to adopt an existing project of its name. Only administrators may do that. */
  async adopt(transaction: pg.ClientBase, { id, registryId, externalName }: NamedRegistryProject) {
    await transaction.query(
      `insert into registry_links as l (registry_id, external_name, project_id, adopted_for_project_id)
       values ($1, $2, $3, $3)
       on conflict (registry_id, external_name) do update set adopted_for_project_id = excluded.adopted_for_project_id`,
      [registryId, externalName, id]
    )
  }

  /**
   * Requests that a name is unlinked, unless another project has it by now. A name that was never linked needs no task. If the
   * project still exists, its link stays, so that it is not linked again.
   */
  async requestUnlink(
    transaction: pg.ClientBase,
    { registryId, externalName }: LinkKey,
    { projectId = null, accountId = null }: { projectId?: string | null; accountId?: string | null }
  ): Promise<void> {
    const { rows } = await transaction.query<LinkKey>(
      `insert into registry_links as l
         (registry_id, external_name, is_detached, is_adopted, project_id, account_id)
       select r.id, $2, p.id is not null, case when $4::text is not null then true end, $3, $4
       from registries r left join registry_projects p
         on p.registry_id = r.id and p.external_name = $2 and ($3::uuid is null or p.id = $3)
       where r.id = $1 and (p.id is not null or $4::text is not null or exists (
         select 1 from registry_links k where k.registry_id = $1 and k.external_name = $2))
       for key share of r
       on conflict (registry_id, external_name) do update set is_detached = excluded.is_detached,
         account_id = coalesce(l.account_id, excluded.account_id)
       returning ${LINK_KEY}`,
      [registryId, externalName, projectId, accountId]
    )
    await this.enqueueAll(transaction, rows)
  }

  /**
   * Resets all links after the host of a registry changed. Ids of accounts and adoptions apply to the former host only, which
   * is not called any more.
   */
  async resetAll(transaction: pg.ClientBase, registryId: string): Promise<void> {
    await transaction.query(
      `update registry_links set account_id = null, is_adopted = null, adopted_for_project_id = null
       where registry_id = $1`,
      [registryId]
    )
  }

  async find({ registryId, externalName }: LinkKey): Promise<RegistryLink | undefined> {
    const { rows } = await this.#pool.query<RegistryLink>(
      `select ${COLUMNS} from registry_links l where registry_id = $1 and external_name = $2`,
      [registryId, externalName]
    )
    const [link] = rows
    return link && { ...link, newSecret: unseal('chosen registry secret', link.newSecret) }
  }

  /** Stores whether a project existed before the platform linked it. Null means that this is unknown again. */
  async recordAdoption(
    { registryId, externalName }: LinkKey,
    { isAdopted, host, projectId }: Adoption
  ): Promise<void> {
    await this.#pool.query(
      `update registry_links set is_adopted = $3, project_id = $5
       where registry_id = $1 and external_name = $2 and ${isAt('$4')}`,
      [registryId, externalName, isAdopted, host, projectId]
    )
  }

  /** Assigns a name to another registry project, after the previous one was removed from the registry. */
  async transfer(
    transaction: pg.ClientBase,
    { registryId, externalName }: LinkKey,
    projectId: string
  ): Promise<void> {
    await transaction.query(
      `update registry_links set is_adopted = null, account_id = null, project_id = $3
       where registry_id = $1 and external_name = $2`,
      [registryId, externalName, projectId]
    )
  }

  /**
   * Completes the task of a reconciled link. A link that was requested again meanwhile stays due, with its chosen secret. The
   * worker account is updated afterwards.
   */
  async settle(
    transaction: pg.ClientBase,
    task: Task<LinkKey>,
    { accountId, host }: { accountId: string | null; host: string }
  ): Promise<void> {
    const { registryId, externalName } = task.data
    await transaction.query(
      `update registry_links set problem = null, reconciled_at = $4,
         account_id = case when ${isAt('$5')} then $3 else account_id end
       where registry_id = $1 and external_name = $2`,
      [registryId, externalName, accountId, fromNow(), host]
    )
    await transaction.query(
      'update registry_states set refusals = 0 where registry_id = $1 and refusals > 0',
      [registryId]
    )
    if (await this.tasks.finish(task, transaction)) {
      await transaction.query(
        'update registry_links set new_secret = null where registry_id = $1 and external_name = $2',
        [registryId, externalName]
      )
    }
    await this.#workers.enqueue(transaction, registryId)
  }

  /** Completes the task of a removed link, and deletes the link unless its project still exists. */
  async settleRemoved(
    transaction: pg.ClientBase,
    task: Task<LinkKey>,
    host: string
  ): Promise<void> {
    const { registryId, externalName } = task.data
    await transaction.query(
      'update registry_links set is_adopted = null where registry_id = $1 and external_name = $2',
      [registryId, externalName]
    )
    await this.settle(transaction, task, { accountId: null, host })
    await transaction.query(
      `delete from registry_links l where registry_id = $1 and external_name = $2
         and not ${IS_DUE} and not (is_detached and exists (select 1 from registry_projects p
           where p.registry_id = l.registry_id and p.external_name = l.external_name))`,
      [registryId, externalName]
    )
  }

  /** Stores why a link could not be reconciled. A problem of the whole registry pauses it, a refusal longer each time. */
  async recordProblem(
    { registryId, externalName }: LinkKey,
    problem: string,
    { isRegistryWide, isRefused }: { isRegistryWide: boolean; isRefused: boolean }
  ): Promise<void> {
    await this.#pool.query(
      `with noted as (
         update registry_links set problem = $3 where registry_id = $1 and external_name = $2)
       insert into registry_states as s (registry_id, paused_until, refusals)
       select id, $5::timestamptz + $6 * interval '1 ms', $7::int from registries
       where id = $1 and $4 for key share
       on conflict (registry_id) do update set refusals = s.refusals + excluded.refusals,
         paused_until = $5::timestamptz + $6 * interval '1 ms'
           * case when $7 = 1 then 2 ^ least(s.refusals, ${MAX_DOUBLINGS}) else 1 end`,
      [registryId, externalName, problem, isRegistryWide, fromNow(), PAUSE_MS, isRefused ? 1 : 0]
    )
  }
}

/** Whether the host of the registry `$1` is still the one that was called. */
const isAt = (host: string) =>
  `exists (select 1 from registries r where r.id = $1 and r.host = ${host})`

const fromNow = (delayMs = 0) => new Date(clock.now() + delayMs)
