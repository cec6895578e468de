import type pg from 'pg'

import type { Task, TaskQueue } from '#jobs/tasks/task_queue'
import { Tasks } from '#jobs/tasks/tasks'
import { clock } from '#kernel/clock'
import { seal, unseal } from '#records/sealing'
import { IS_REGISTRY_PAUSED } from './is_registry_paused.js'
import type { WorkerAccounts } from './worker_accounts.js'

const QUEUE: TaskQueue = {
  name: 'registry-link',
  backOff: { firstMs: 15_000, longestMs: 60 * 60_000 },
  pausedWhile: IS_REGISTRY_PAUSED,
}

/** How long a registry is left alone that does not answer, or not to us. */
const PAUSE_MS = 30_000

/** A name in a registry. */
export interface LinkKey {
  readonly registryId: string
  readonly externalName: string
}

export interface RegistryLink extends LinkKey {
  /** It was asked for not to be there, although the record stays. */
  readonly isParted: boolean
  /** Whether it was in the registry before the platform came; null until that was looked at. */
  readonly isAdopted: boolean | null
  /** The registry project it belongs to, or belonged to as long as it is there. */
  readonly projectId: string | null
  /** The registry project for which an administrator has it taken over, whoever made it. */
  readonly adoptedFor: string | null
  readonly accountId: string | null
  readonly newSecret: string | null
}

/** A registry project, by the name it has in its registry. */
export interface NamedRegistryProject extends LinkKey {
  readonly id: string
}

interface Adoption {
  readonly isAdopted: boolean | null
  readonly projectId: string
  readonly host: string
}

const LINK_KEY = `l.registry_id as "registryId", l.external_name as "externalName"`

const COLUMNS = `${LINK_KEY}, l.is_parted as "isParted", l.is_adopted as "isAdopted",
  l.project_id as "projectId", l.adopted_for as "adoptedFor", l.account_id as "accountId",
  l.new_secret as "newSecret"`

/** True of a link `l` that is to be brought into line. */
export const IS_DUE = `exists (select 1 from tasks t
  where t.queue = '${QUEUE.name}' and t.key = l.registry_id || '/' || l.external_name)`

export const taskKey = ({ registryId, externalName }: LinkKey): string =>
  `${registryId}/${externalName}`

/** In one order for everybody, so that two never wait for each other. */
const sortByKey = <T extends { readonly key: string }>(tasks: readonly T[]): T[] =>
  tasks.toSorted((a, b) => (a.key < b.key ? -1 : 1))

const toTask = ({ registryId, externalName }: LinkKey) => ({
  key: taskKey({ registryId, externalName }),
  data: { registryId, externalName },
})

/**
 * What the platform has in registries under which name, or may have: it is written here before a registry is asked for
 * anything, and stays until the registry has removed it. A task for each link that is due has it brought into line with the records.
 */
export class RegistryLinks {
  readonly tasks: Tasks<LinkKey>
  readonly #pool: pg.Pool
  readonly #workers: WorkerAccounts

  constructor(pool: pg.Pool, workers: WorkerAccounts) {
    this.#pool = pool
    this.#workers = workers
    this.tasks = new Tasks(pool, QUEUE)
  }

  /**
   * Holds the registry of links that a transaction is about to write, as everybody does before anything in it: a row that is written
   * twice refers to it anew, and who removes the registry would wait for that row.
   */
  async lockRegistry(
    transaction: pg.ClientBase,
    { registryId }: Pick<LinkKey, 'registryId'>
  ): Promise<void> {
    await transaction.query('select 1 from registries where id = $1 for key share', [registryId])
  }

  /** As `hold`, for a project that is about to be locked. */
  async lockRegistryOfProject(transaction: pg.ClientBase, projectId: string): Promise<void> {
    await transaction.query(
      `select 1 from registries r join registry_projects p on p.registry_id = r.id
       where p.id = $1 for key share of r`,
      [projectId]
    )
  }

  /** Makes links due. Their rows are written before, here as everywhere: then no two transactions wait for each other for good. */
  async enqueueAll(transaction: pg.ClientBase, keys: readonly LinkKey[]): Promise<void> {
    for (const task of sortByKey(keys.map(toTask))) {
      await this.tasks.enqueue(task, transaction)
    }
  }

  /** Makes those of the links due that are not, and answers which those were. */
  async enqueueMissing(transaction: pg.ClientBase, keys: readonly LinkKey[]): Promise<LinkKey[]> {
    const enqueued = await this.tasks.enqueueMissing(sortByKey(keys.map(toTask)), transaction)
    return keys.filter((key) => enqueued.has(taskKey(key)))
  }

  /**
   * The link of a registry project is wanted, unless its registry is being left; undefined where there is no such project. What the name
   * belonged to before stays noted until it is removed from the registry.
   */
  async requestLink(
    transaction: pg.ClientBase,
    projectId: string,
    newSecret: string | null = null
  ): Promise<LinkKey | undefined> {
    const { rows } = await transaction.query<LinkKey>(
      `insert into registry_links as l
         (registry_id, external_name, is_parted, new_secret, project_id, account_id)
       select p.registry_id, p.external_name, coalesce(s.is_leaving, false), $2, p.id, p.account_id
       from registry_projects p join registries r on r.id = p.registry_id
       left join registry_states s on s.registry_id = r.id where p.id = $1 for key share of r
       on conflict (registry_id, external_name) do update set is_parted = excluded.is_parted,
         new_secret = coalesce(excluded.new_secret, l.new_secret),
         project_id = case when l.is_adopted is null then excluded.project_id else l.project_id end
       returning ${LINK_KEY}`,
      [projectId, newSecret && seal('chosen registry secret', newSecret)]
    )
    await this.enqueueAll(transaction, rows)
    return rows[0]
  }

  /** Whatever has the name of a registry project in its registry is taken over for it: an administrator said so, by that name. */
  async adopt(transaction: pg.ClientBase, { id, registryId, externalName }: NamedRegistryProject) {
    await transaction.query(
      `insert into registry_links as l (registry_id, external_name, project_id, adopted_for)
       values ($1, $2, $3, $3)
       on conflict (registry_id, external_name) do update set adopted_for = excluded.adopted_for`,
      [registryId, externalName, id]
    )
  }

  /**
   * A link is wanted no more, unless another project has its name by now. What was never linked needs nothing, except that a
   * project which is still there is remembered as parted.
   */
  async requestUnlink(
    transaction: pg.ClientBase,
    { registryId, externalName }: LinkKey,
    { projectId = null, accountId = null }: { projectId?: string | null; accountId?: string | null }
  ): Promise<void> {
    const { rows } = await transaction.query<LinkKey>(
      `insert into registry_links as l
         (registry_id, external_name, is_parted, is_adopted, project_id, account_id)
       select r.id, $2, p.id is not null, case when $4::text is not null then true end, $3, $4
       from registries r left join registry_projects p
         on p.registry_id = r.id and p.external_name = $2 and ($3::uuid is null or p.id = $3)
       where r.id = $1 and (p.id is not null or $4::text is not null or exists (
         select 1 from registry_links k where k.registry_id = $1 and k.external_name = $2))
       for key share of r
       on conflict (registry_id, external_name) do update set is_parted = excluded.is_parted,
         account_id = coalesce(l.account_id, excluded.account_id)
       returning ${LINK_KEY}`,
      [registryId, externalName, projectId, accountId]
    )
    await this.enqueueAll(transaction, rows)
  }

  /**
   * A registry is somewhere else now: ids of accounts mean others there, and it was not looked at what is there already. What
   * was left behind is not touched any more.
   */
  async resetAll(transaction: pg.ClientBase, registryId: string): Promise<void> {
    await transaction.query(
      `update registry_links set account_id = null, is_adopted = null, adopted_for = null
       where registry_id = $1`,
      [registryId]
    )
  }

  /** What is known of a place; undefined where its registry is gone. */
  async find({ registryId, externalName }: LinkKey): Promise<RegistryLink | undefined> {
    const { rows } = await this.#pool.query<RegistryLink>(
      `select ${COLUMNS} from registry_links l where registry_id = $1 and external_name = $2`,
      [registryId, externalName]
    )
    const [link] = rows
    return link && { ...link, newSecret: unseal('chosen registry secret', link.newSecret) }
  }

  /** Remembers whether a project was in its registry, at this host, before the platform made one; null where that is open again. */
  async noteAdoption(
    { registryId, externalName }: LinkKey,
    { isAdopted, host, projectId }: Adoption
  ): Promise<void> {
    await this.#pool.query(
      `update registry_links set is_adopted = $3, project_id = $5
       where registry_id = $1 and external_name = $2 and ${isAt('$4')}`,
      [registryId, externalName, isAdopted, host, projectId]
    )
  }

  /** What a name belonged to is gone from the registry, which another registry project has now. */
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
   * A link is as its record wants it; one that was asked for again meanwhile stays due, with the secret chosen for it. Who carries images
   * may reach what is there now.
   */
  async settle(
    transaction: pg.ClientBase,
    task: Task<LinkKey>,
    { accountId, host }: { accountId: string | null; host: string }
  ): Promise<void> {
    const { registryId, externalName } = task.data
    await transaction.query(
      `update registry_links set problem = null, settled_at = $4,
         account_id = case when ${isAt('$5')} then $3 else account_id end
       where registry_id = $1 and external_name = $2`,
      [registryId, externalName, accountId, fromNow(), host]
    )
    if (await this.tasks.finish(task, transaction)) {
      await transaction.query(
        'update registry_links set new_secret = null where registry_id = $1 and external_name = $2',
        [registryId, externalName]
      )
    }
    await this.#workers.enqueue(transaction, registryId)
  }

  /** Nothing is left of a link in its registry. It is remembered as parted where its project is still there. */
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
         and not ${IS_DUE} and not (is_parted and exists (select 1 from registry_projects p
           where p.registry_id = l.registry_id and p.external_name = l.external_name))`,
      [registryId, externalName]
    )
  }

  /** Notes why a link could not be brought into line; its registry is paused where the reason concerns all of it. */
  async noteProblem(
    { registryId, externalName }: LinkKey,
    problem: string,
    isRegistryWide: boolean
  ): Promise<void> {
    await this.#pool.query(
      `with noted as (
         update registry_links set problem = $3 where registry_id = $1 and external_name = $2)
       insert into registry_states (registry_id, rests_until)
       select id, $5 from registries where id = $1 and $4 for key share
       on conflict (registry_id) do update set rests_until = excluded.rests_until`,
      [registryId, externalName, problem, isRegistryWide, fromNow(PAUSE_MS)]
    )
  }
}

/** The registry has not moved elsewhere since it was called; `$1` is its id. */
const isAt = (host: string) =>
  `exists (select 1 from registries r where r.id = $1 and r.host = ${host})`

const fromNow = (delayMs = 0) => new Date(clock.now() + delayMs)
