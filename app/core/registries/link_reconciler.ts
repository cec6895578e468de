import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import type { RegistryProject } from '#core/registry_projects/registry_project'
import type { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import type { DatabasePool } from '#database/database_pool'
import type { Origin } from '#kernel/origin'
import type { Task } from '#jobs/tasks/task_queue'
import { runDueTasks, runTask, type TaskWorker } from '#jobs/tasks/task_worker'
import type { RowValues } from '#records/record_store'
import { unseal } from '#records/sealing'
import { inTransaction } from '#records/transaction'

import {
  NameTaken,
  RegistryFailure,
  type Account,
  type Webhook,
  type LinkedProject,
  type RegistryAccess,
  type RegistryDriver,
} from './registry_driver.js'
import { taskKey, type RegistryLink, type LinkKey, type RegistryLinks } from './registry_links.js'

interface LinkReconcilerOptions {
  readonly pool: DatabasePool
  readonly links: RegistryLinks
  readonly projects: RegistryProjectService
  readonly createDriver: (access: RegistryAccess) => RegistryDriver
  /** How registries tell the platform what happens in them, if they can. */
  readonly createWebhook: (registryId: string) => Promise<Webhook | null>
  /** Who changes records when the platform does so by itself. */
  readonly origin: () => Promise<Origin>
  readonly logger: Pick<Logger, 'warn'>
}

/** What the records say of a place. */
interface LinkTarget {
  readonly access: RegistryAccess
  /** Null where no project has the name. */
  readonly project: ProjectState | null
}

interface ProjectState {
  readonly id: string
  /** What it was in the registry when it was linked last. */
  readonly externalId: string | null
  readonly isPublic: boolean
  readonly account: Account | null
}

const UNLINKED: LinkedProject = { id: null, account: null, webhookId: null }

/**
 * Brings registries into line with the records: what a record names is there, what none names any more is not. A record shows
 * everything of its link or nothing; what went wrong is tried again.
 */
export class LinkReconciler {
  readonly #options: LinkReconcilerOptions
  readonly #worker: TaskWorker<LinkKey>

  constructor(options: LinkReconcilerOptions) {
    this.#options = options
    this.#worker = {
      tasks: options.links.tasks,
      concurrency: 1,
      perform: (task) => this.#perform(task),
      onFailure: (error, task) => this.#recordFailure(error, task),
    }
  }

  /** Does what is due at one place, unless another process is at it. It does not fail: what cannot be done now stays due. */
  reconcile(key: LinkKey): Promise<void> {
    return runTask(this.#worker, taskKey(key))
  }

  /** As `keep`, for whatever is due. */
  reconcileDue(signal: AbortSignal): Promise<void> {
    return runDueTasks(this.#worker, signal)
  }

  /** Says in the log where a registry cannot be looked after as things are. */
  async checkAccount(registryId: string): Promise<void> {
    const target = await this.#findTarget({ registryId, externalName: '' })
    try {
      await (target && this.#options.createDriver(target.access).requireAccount())
    } catch (error) {
      this.#options.logger.warn(
        { err: error, registryId },
        'a registry does not take the account it was entered with; see its host, account and secret'
      )
    }
  }

  async #perform(task: Task<LinkKey>): Promise<boolean> {
    const link = await this.#options.links.find(task.data)
    const target = link && (await this.#findTarget(link))
    if (!target) {
      return false
    }
    const { project, access } = target
    if (project && !link.isParted) {
      await this.#link(task, await this.#transfer(link, access, project), access, project)
    } else {
      await this.#unlink(task, link, access)
    }
    return true
  }

  /** Where all of a registry is away, it is paused as a whole instead of this link alone. */
  async #recordFailure(error: unknown, { data: key }: Task<LinkKey>): Promise<number | undefined> {
    const concernsAll = error instanceof RegistryFailure && error.isRegistryWide
    const problem = error instanceof RegistryFailure ? error.message : 'See the log'
    await this.#options.links.noteProblem(key, problem, concernsAll)
    this.#options.logger.warn(
      { err: error, ...key },
      'a registry is not as it should be; tried again later'
    )
    return concernsAll ? 0 : undefined
  }

  async #link(
    task: Task<LinkKey>,
    link: RegistryLink,
    access: RegistryAccess,
    project: ProjectState
  ): Promise<void> {
    const { links, createWebhook: hook, origin: platform } = this.#options
    const { host } = access
    const linked = await this.#linkInRegistry(link, access, project, await hook(link.registryId))
    const origin = await platform()
    await inTransaction(this.#options.pool, async (transaction) => {
      await links.lockRegistry(transaction, link)
      const [id] = await lockProjects(transaction, link, null)
      if (id !== undefined) {
        await this.#updateProject(transaction, origin, id, linked)
      }
      await links.settle(transaction, task, { accountId: linked.account?.id ?? null, host })
    })
  }

  /** Makes in a registry what a record wants there, and nothing of what is there and not the platform's. */
  async #linkInRegistry(
    link: RegistryLink,
    access: RegistryAccess,
    { externalId, ...project }: ProjectState,
    hook: Webhook | null
  ): Promise<LinkedProject> {
    const { links, createDriver: driverOf } = this.#options
    const { externalName: name, newSecret } = link
    const driver = driverOf(access)
    const account = project.account?.id === link.accountId ? project.account : null
    const claimed = { name, owner: project.id, account }
    const adopts = link.adoptedFor === project.id
    const existing = link.isAdopted === null ? await driver.find(claimed) : null
    if (existing && !adopts && !existing.isMarked && existing.id !== externalId) {
      throw new NameTaken(name)
    }
    const note = (isAdopted: boolean | null) =>
      links.noteAdoption(link, { isAdopted, projectId: project.id, host: access.host })
    if (link.isAdopted === null) {
      await note(existing !== null)
    }
    const mayExist = link.isAdopted !== null || existing !== null
    try {
      return await driver.link({ ...project, ...claimed, newSecret, hook, mayExist, adopts })
    } catch (error) {
      if (error instanceof NameTaken) {
        await note(null)
      }
      throw error
    }
  }

  /** Removes what a name belonged to before another record got it: nobody inherits images, or an account for them. */
  async #transfer(
    link: RegistryLink,
    access: RegistryAccess,
    { id }: ProjectState
  ): Promise<RegistryLink> {
    if (link.isAdopted === null || link.projectId === id) {
      return link
    }
    const { pool, links } = this.#options
    await this.#remove(link, access)
    const origin = await this.#options.origin()
    await inTransaction(pool, async (transaction) => {
      await links.lockRegistry(transaction, link)
      const owners = await lockProjects(transaction, link, link.accountId)
      for (const formerId of owners.filter((owner) => owner !== id)) {
        await this.#updateProject(transaction, origin, formerId, UNLINKED)
      }
      await links.transfer(transaction, link, id)
    })
    return { ...link, isAdopted: null, accountId: null, projectId: id }
  }

  async #remove(link: RegistryLink, access: RegistryAccess): Promise<void> {
    const { externalName: name, projectId: owner, accountId, isAdopted } = link
    if (isAdopted !== null) {
      await this.#options.createDriver(access).unlink({ name, owner, accountId, isAdopted })
    }
  }

  async #unlink(task: Task<LinkKey>, link: RegistryLink, access: RegistryAccess): Promise<void> {
    const { links } = this.#options
    const { accountId } = link
    await this.#remove(link, access)
    const origin = await this.#options.origin()
    await inTransaction(this.#options.pool, async (transaction) => {
      await links.lockRegistry(transaction, link)
      for (const id of await lockProjects(transaction, link, accountId)) {
        await this.#updateProject(transaction, origin, id, UNLINKED)
      }
      await links.settleRemoved(transaction, task, access.host)
    })
  }

  #updateProject(transaction: pg.ClientBase, origin: Origin, id: string, linked: LinkedProject) {
    return this.#options.projects.updateLink(transaction, origin, id, columnsOf(linked))
  }

  async #findTarget({ registryId, externalName }: LinkKey): Promise<LinkTarget | undefined> {
    const { rows } = await this.#options.pool.query(
      `select r.host, r.account_name as "accountName", r.account_secret as "accountSecret",
         p.id, p.external_id as "externalId", p.public as "isPublic", json_build_object(
           'id', p.account_id, 'name', p.account_name, 'secret', p.account_secret) as account
       from registries r left join registry_projects p
         on p.registry_id = r.id and p.external_name = $2 where r.id = $1`,
      [registryId, externalName]
    )
    const [row] = rows
    if (!row) {
      return undefined
    }
    const { id, externalId, isPublic, host, accountName, accountSecret, account: stored } = row
    const access = { host, accountName, accountSecret: unseal('registry account', accountSecret) }
    const account = { ...stored, secret: unseal('registry project account', stored.secret) }
    const isComplete = account.id !== null && account.name !== null && account.secret !== null
    return {
      access,
      project: id && { id, externalId, isPublic, account: isComplete ? account : null },
    }
  }
}

const columnsOf = ({
  id,
  account,
  webhookId,
}: LinkedProject): RowValues<typeof RegistryProject> => ({
  externalId: id,
  accountId: account?.id ?? null,
  accountName: account?.name ?? null,
  accountSecret: account?.secret ?? null,
  webhookName: webhookId,
  webhookExists: webhookId !== null,
})

/** The project of a name; and whichever still shows its account, because it had the name before. */
async function lockProjects(
  transaction: pg.ClientBase,
  { registryId, externalName }: LinkKey,
  accountId: string | null
): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    `select id from registry_projects
     where registry_id = $1 and (external_name = $2 or account_id = $3) order by id for update`,
    [registryId, externalName, accountId]
  )
  return rows.map(({ id }) => id)
}
