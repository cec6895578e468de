import { inject } from '@adonisjs/core'
import { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { createRegistryDriver } from './create_registry_driver.js'
import { createWebhook } from './create_webhook.js'
import { serviceOrigin } from '#auth/service_origin'
import { WebhookSecrets } from './webhook_secrets.js'
import { CorePool } from '#core/database'
import type { RegistryProject } from '#core/registry_projects/registry_project'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
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
} from './registry_driver.js'
import { taskKey, type RegistryLink, type LinkKey, RegistryLinks } from './registry_links.js'

/** The records of a link. */
interface LinkTarget {
  readonly access: RegistryAccess
  /** Null if no project has the name. */
  readonly project: ProjectState | null
}

interface ProjectState {
  readonly id: string
  /** Its id in the registry since the last link. */
  readonly externalId: string | null
  readonly isPublic: boolean
  readonly account: Account | null
}

const UNLINKED: LinkedProject = { id: null, account: null, webhookId: null, isPublic: null }

/**
 * Reconciles the projects in registries with the records: creates what a record names, and removes what no record names any
 * more. Failures are retried.
 */
@inject()
export class LinkReconciler {
  readonly #pool: CorePool
  readonly #links: RegistryLinks
  readonly #projects: RegistryProjectService
  readonly #hooks: WebhookSecrets
  readonly #logger: Logger
  readonly #worker: TaskWorker<LinkKey>

  constructor(
    pool: CorePool,
    links: RegistryLinks,
    projects: RegistryProjectService,
    hooks: WebhookSecrets,
    logger: Logger
  ) {
    this.#pool = pool
    this.#links = links
    this.#projects = projects
    this.#hooks = hooks
    this.#logger = logger
    this.#worker = {
      tasks: links.tasks,
      concurrency: 1,
      perform: (task) => this.#perform(task),
      onFailure: (error, task) => this.#recordFailure(error, task),
    }
  }

  /** Reconciles one link, unless another process does. It never throws: a failed task stays due. */
  reconcile(key: LinkKey): Promise<void> {
    return runTask(this.#worker, taskKey(key))
  }

  /** Reconciles all links that are due. */
  reconcileDue(signal: AbortSignal): Promise<void> {
    return runDueTasks(this.#worker, signal)
  }

  /** Logs a warning if the registry rejects the account of the platform. */
  async checkAccount(registryId: string): Promise<void> {
    const target = await this.#findTarget({ registryId, externalName: '' })
    try {
      await (target && createRegistryDriver(target.access).requireAccount())
    } catch (error) {
      this.#logger.warn(
        { err: error, registryId },
        'a registry rejects the account of the platform: check its host, account and secret'
      )
    }
  }

  async #perform(task: Task<LinkKey>): Promise<boolean> {
    const link = await this.#links.find(task.data)
    const target = link && (await this.#findTarget(link))
    if (!target) {
      return false
    }
    const { project, access } = target
    if (project && !link.isDetached) {
      await this.#link(task, await this.#transfer(link, access, project), access, project)
    } else {
      await this.#unlink(task, link, access)
    }
    return true
  }

  /** A failure that concerns the whole registry pauses it, instead of this link alone. */
  async #recordFailure(error: unknown, { data: key }: Task<LinkKey>): Promise<number | undefined> {
    const isRegistryWide = error instanceof RegistryFailure && error.isRegistryWide
    const problem = error instanceof RegistryFailure ? error.message : 'See the log'
    const isRefused = error instanceof RegistryFailure && error.isRefused
    await this.#links.recordProblem(key, problem, { isRegistryWide, isRefused })
    this.#logger.warn(
      { err: error, ...key },
      'a registry could not be reconciled; it is retried later'
    )
    return isRegistryWide ? 0 : undefined
  }

  async #link(
    task: Task<LinkKey>,
    link: RegistryLink,
    access: RegistryAccess,
    project: ProjectState
  ): Promise<void> {
    const { host } = access
    const hook = await createWebhook(this.#hooks, link.registryId)
    const linked = await this.#linkInRegistry(link, access, project, hook)
    const origin = await serviceOrigin()
    await inTransaction(this.#pool, async (transaction) => {
      await this.#links.lockRegistry(transaction, link)
      const [id] = await lockProjects(transaction, link, null)
      if (id !== undefined) {
        await this.#updateProject(transaction, origin, id, linked)
      }
      await this.#links.settle(transaction, task, { accountId: linked.account?.id ?? null, host })
    })
  }

  /** Creates or updates a project in the registry. Throws if it exists and the platform may not adopt it. */
  async #linkInRegistry(
    link: RegistryLink,
    access: RegistryAccess,
    { externalId, ...project }: ProjectState,
    hook: Webhook | null
  ): Promise<LinkedProject> {
    const { externalName: name, newSecret } = link
    const driver = createRegistryDriver(access)
    const account = project.account?.id === link.accountId ? project.account : null
    const claimed = { name, owner: project.id, account }
    const adopts = link.adoptedForProjectId === project.id
    const existing = link.isAdopted === null ? await driver.find(claimed) : null
    if (existing && !adopts && !existing.isMarked && existing.id !== externalId) {
      throw new NameTaken(name)
    }
    const recordAdoption = (isAdopted: boolean | null) =>
      this.#links.recordAdoption(link, { isAdopted, projectId: project.id, host: access.host })
    if (link.isAdopted === null) {
      await recordAdoption(existing !== null)
    }
    const mayExist = link.isAdopted !== null || existing !== null
    try {
      const isAdopted = link.isAdopted ?? existing !== null
      const desired = { ...project, ...claimed, newSecret, hook, mayExist, isAdopted, adopts }
      return await driver.link(desired)
    } catch (error) {
      if (error instanceof NameTaken) {
        await recordAdoption(null)
      }
      throw error
    }
  }

  /** Removes the project of the previous owner of a name, so that the new owner inherits neither images nor an account. */
  async #transfer(
    link: RegistryLink,
    access: RegistryAccess,
    { id }: ProjectState
  ): Promise<RegistryLink> {
    if (link.isAdopted === null || link.projectId === id) {
      return link
    }
    await this.#remove(link, access)
    const origin = await serviceOrigin()
    await inTransaction(this.#pool, async (transaction) => {
      await this.#links.lockRegistry(transaction, link)
      const owners = await lockProjects(transaction, link, link.accountId)
      for (const formerId of owners.filter((owner) => owner !== id)) {
        await this.#updateProject(transaction, origin, formerId, UNLINKED)
      }
      await this.#links.transfer(transaction, link, id)
    })
    return { ...link, isAdopted: null, accountId: null, projectId: id }
  }

  async #remove(link: RegistryLink, access: RegistryAccess): Promise<void> {
    const { externalName: name, projectId: owner, accountId, isAdopted } = link
    if (isAdopted !== null) {
      await createRegistryDriver(access).unlink({ name, owner, accountId, isAdopted })
    }
  }

  async #unlink(task: Task<LinkKey>, link: RegistryLink, access: RegistryAccess): Promise<void> {
    const { accountId } = link
    await this.#remove(link, access)
    const origin = await serviceOrigin()
    await inTransaction(this.#pool, async (transaction) => {
      await this.#links.lockRegistry(transaction, link)
      for (const id of await lockProjects(transaction, link, accountId)) {
        await this.#updateProject(transaction, origin, id, UNLINKED)
      }
      await this.#links.settleRemoved(transaction, task, access.host)
    })
  }

  #updateProject(transaction: pg.ClientBase, origin: Origin, id: string, linked: LinkedProject) {
    return this.#projects.updateLink(transaction, origin, id, columnsOf(linked))
  }

  async #findTarget({ registryId, externalName }: LinkKey): Promise<LinkTarget | undefined> {
    const { rows } = await this.#pool.query(
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
  isPublic,
}: LinkedProject): RowValues<typeof RegistryProject> => ({
  ...(isPublic !== null && { public: isPublic }),
  externalId: id,
  accountId: account?.id ?? null,
  accountName: account?.name ?? null,
  accountSecret: account?.secret ?? null,
  webhookName: webhookId,
  webhookExists: webhookId !== null,
})

/** Locks the project of a name, and former owners that still show its account. */
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
