import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import type { RegistryProject } from '#core/registry_projects/registry_project'
import type { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import type { DatabasePool } from '#database/database_pool'
import type { Origin } from '#kernel/origin'
import type { Task } from '#jobs/tasks/task_queue'
import { performDue, performOne, type TaskWorker } from '#jobs/tasks/perform'
import type { Writable } from '#records/record_store'
import { unseal } from '#records/sealing'
import { inTransaction } from '#records/transaction'

import {
  NameTaken,
  RegistryFailure,
  type Account,
  type Hook,
  type LinkedProject,
  type RegistryAccess,
  type RegistryDriver,
} from './driver.js'
import { keyOf, type Link, type Place, type RegistryLinks } from './registry_links.js'

interface LinkKeeperOptions {
  readonly pool: DatabasePool
  readonly links: RegistryLinks
  readonly projects: RegistryProjectService
  readonly driverOf: (access: RegistryAccess) => RegistryDriver
  /** How registries tell the platform what happens in them, if they can. */
  readonly hook: (registryId: string) => Promise<Hook | null>
  /** Who changes records when the platform does so by itself. */
  readonly origin: () => Promise<Origin>
  readonly logger: Pick<Logger, 'warn'>
}

/** What the records say of a place. */
interface Subject {
  readonly access: RegistryAccess
  /** Null where no project has the name. */
  readonly project: ProjectInRecords | null
}

interface ProjectInRecords {
  readonly id: string
  /** What it was in the registry when it was linked last. */
  readonly externalId: string | null
  readonly isPublic: boolean
  readonly account: Account | null
}

const NOTHING: LinkedProject = { id: null, account: null, webhookId: null }

/**
 * Brings registries into line with the records: what a record names is there, what none names any more is not. A record shows
 * everything of its link or nothing; what went wrong is tried again.
 */
export class LinkKeeper {
  readonly #options: LinkKeeperOptions
  readonly #worker: TaskWorker<Place>

  constructor(options: LinkKeeperOptions) {
    this.#options = options
    this.#worker = {
      tasks: options.links.tasks,
      atOnce: 1,
      perform: (task) => this.#perform(task),
      failed: (error, task) => this.#failed(error, task),
    }
  }

  /** Does what is due at one place, unless another process is at it. It does not fail: what cannot be done now stays due. */
  keep(place: Place): Promise<void> {
    return performOne(this.#worker, keyOf(place))
  }

  /** As `keep`, for whatever is due. */
  keepDue(signal: AbortSignal): Promise<void> {
    return performDue(this.#worker, signal)
  }

  /** Says in the log where a registry cannot be looked after as things are. */
  async prove(registryId: string): Promise<void> {
    const subject = await this.#subject({ registryId, externalName: '' })
    try {
      await (subject && this.#options.driverOf(subject.access).requireAccount())
    } catch (error) {
      this.#options.logger.warn(
        { err: error, registryId },
        'a registry does not take the account it was entered with; see its host, account and secret'
      )
    }
  }

  async #perform(task: Task<Place>): Promise<boolean> {
    const link = await this.#options.links.find(task.data)
    const subject = link && (await this.#subject(link))
    if (!subject) {
      return false
    }
    const { project, access } = subject
    if (project && !link.isParted) {
      await this.#link(task, await this.#handOver(link, access, project), access, project)
    } else {
      await this.#unlink(task, link, access)
    }
    return true
  }

  /** Where all of a registry is away, it is paused as a whole instead of this link alone. */
  async #failed(error: unknown, { data: place }: Task<Place>): Promise<number | undefined> {
    const concernsAll = error instanceof RegistryFailure && error.concernsAll
    const problem = error instanceof RegistryFailure ? error.message : 'See the log'
    await this.#options.links.noteProblem(place, problem, concernsAll)
    this.#options.logger.warn(
      { err: error, ...place },
      'a registry is not as it should be; tried again later'
    )
    return concernsAll ? 0 : undefined
  }

  async #link(
    task: Task<Place>,
    link: Link,
    access: RegistryAccess,
    project: ProjectInRecords
  ): Promise<void> {
    const { links, hook, origin: platform } = this.#options
    const { host } = access
    const linked = await this.#make(link, access, project, await hook(link.registryId))
    const origin = await platform()
    await inTransaction(this.#options.pool, async (transaction) => {
      await links.hold(transaction, link)
      const [id] = await lockProjects(transaction, link, null)
      if (id !== undefined) {
        await this.#write(transaction, origin, id, linked)
      }
      await links.settle(transaction, task, { accountId: linked.account?.id ?? null, host })
    })
  }

  /** Makes in a registry what a record wants there, and nothing of what is there and not the platform's. */
  async #make(
    link: Link,
    access: RegistryAccess,
    { externalId, ...project }: ProjectInRecords,
    hook: Hook | null
  ): Promise<LinkedProject> {
    const { links, driverOf } = this.#options
    const { externalName: name, newSecret } = link
    const driver = driverOf(access)
    const account = project.account?.id === link.accountId ? project.account : null
    const claimed = { name, owner: project.id, account }
    const adopts = link.adoptedFor === project.id
    const found = link.isAdopted === null ? await driver.find(claimed) : null
    if (found && !adopts && !found.isMarked && found.id !== externalId) {
      throw new NameTaken(name)
    }
    const note = (isAdopted: boolean | null) =>
      links.noteAdoption(link, { isAdopted, projectId: project.id, host: access.host })
    if (link.isAdopted === null) {
      await note(found !== null)
    }
    const mayExist = link.isAdopted !== null || found !== null
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
  async #handOver(link: Link, access: RegistryAccess, { id }: ProjectInRecords): Promise<Link> {
    if (link.isAdopted === null || link.projectId === id) {
      return link
    }
    const { pool, links } = this.#options
    await this.#remove(link, access)
    const origin = await this.#options.origin()
    await inTransaction(pool, async (transaction) => {
      await links.hold(transaction, link)
      const owners = await lockProjects(transaction, link, link.accountId)
      for (const former of owners.filter((owner) => owner !== id)) {
        await this.#write(transaction, origin, former, NOTHING)
      }
      await links.handOver(transaction, link, id)
    })
    return { ...link, isAdopted: null, accountId: null, projectId: id }
  }

  async #remove(link: Link, access: RegistryAccess): Promise<void> {
    const { externalName: name, projectId: owner, accountId, isAdopted } = link
    if (isAdopted !== null) {
      await this.#options.driverOf(access).unlink({ name, owner, accountId, isAdopted })
    }
  }

  async #unlink(task: Task<Place>, link: Link, access: RegistryAccess): Promise<void> {
    const { links } = this.#options
    const { accountId } = link
    await this.#remove(link, access)
    const origin = await this.#options.origin()
    await inTransaction(this.#options.pool, async (transaction) => {
      await links.hold(transaction, link)
      for (const id of await lockProjects(transaction, link, accountId)) {
        await this.#write(transaction, origin, id, NOTHING)
      }
      await links.forget(transaction, task, access.host)
    })
  }

  #write(transaction: pg.ClientBase, origin: Origin, id: string, linked: LinkedProject) {
    return this.#options.projects.showLink(transaction, origin, id, columnsOf(linked))
  }

  async #subject({ registryId, externalName }: Place): Promise<Subject | undefined> {
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
    const { id, externalId, isPublic, host, accountName, accountSecret, account: kept } = row
    const access = { host, accountName, accountSecret: unseal('registry account', accountSecret) }
    const account = { ...kept, secret: unseal('registry project account', kept.secret) }
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
}: LinkedProject): Writable<typeof RegistryProject> => ({
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
  { registryId, externalName }: Place,
  accountId: string | null
): Promise<string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    `select id from registry_projects
     where registry_id = $1 and (external_name = $2 or account_id = $3) order by id for update`,
    [registryId, externalName, accountId]
  )
  return rows.map(({ id }) => id)
}
