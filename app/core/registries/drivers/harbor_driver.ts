import {
  NameTaken,
  UnknownRegistryType,
  type Account,
  type ClaimedName,
  type ExistingProject,
  type Webhook,
  type LinkedProject,
  type RegistryDriver,
  type ObsoleteProject,
  type WorkerAccount,
  type DesiredProject,
  type DesiredWorkerAccount,
} from '#core/registries/registry_driver'
import { CONFLICT, parseId, parseList, MISSING } from './harbor_fields.js'
import type { HarborApi } from './harbor_api.js'
import { HarborRobots, markProject, markWorker, type Permission } from './harbor_robots.js'

const PAGE_SIZE = 50

/** Statuses with which other registries may respond to `systeminfo`. */
const EXPECTED_REFUSALS = [400, 401, 403, MISSING, 405]

const WEBHOOK = 'api'
const EVENT_TYPES = ['PUSH_ARTIFACT']

/** The account of a project can only pull from it. */
const PULL = [
  { resource: 'artifact', action: 'list' },
  { resource: 'artifact', action: 'read' },
  { resource: 'repository', action: 'list' },
  { resource: 'repository', action: 'pull' },
  { resource: 'tag', action: 'list' },
  { resource: 'project', action: 'read' },
]

/** The account of a worker can pull and push, but not delete. */
const READ = [{ resource: 'repository', action: 'pull' }]
const WRITE = [...READ, { resource: 'repository', action: 'push' }]

const permit = (namespace: string, access: Permission['access']): Permission => ({
  kind: 'project',
  namespace,
  access,
})

/** Manages projects in Harbor. Each has a robot account that can pull from it, and a webhook. */
export class HarborDriver implements RegistryDriver {
  readonly #api: HarborApi
  readonly #robots: HarborRobots

  constructor(api: HarborApi) {
    this.#api = api
    this.#robots = new HarborRobots(api)
  }

  /** Returns whether the host is a Harbor, whose `systeminfo` is public. Throws if that is unknown. */
  async detect(): Promise<boolean> {
    try {
      const expected = EXPECTED_REFUSALS
      const { body } = await this.#api.request('GET', 'systeminfo', { expected, isAnonymous: true })
      return typeof body?.auth_mode === 'string'
    } catch (error) {
      if (error instanceof UnknownRegistryType) {
        return false
      }
      throw error
    }
  }

  /** Projects may be public, so this lists robot accounts, which only administrators can do. */
  async requireAccount(): Promise<void> {
    await this.#robots.requireAdministrator()
  }

  async find({ name, owner, account }: ClaimedName): Promise<ExistingProject | null> {
    const { status, body } = await this.#api.request('GET', projectPath(name), {
      expected: [MISSING],
    })
    if (status === MISSING) {
      return null
    }
    const isMarked = await this.#robots.hasOwn({ name, mark: markProject(owner), account })
    return {
      id: parseId(body?.project_id),
      isMarked,
      isPublic: isPublicIn(body),
      repositories: Number(body?.repo_count) || 0,
    }
  }

  async link(project: DesiredProject): Promise<LinkedProject> {
    const { name, hook } = project
    const { id, isPublic } = await this.#createOrUpdateProject(project)
    const account = await this.#robots.ensure({
      ...project,
      mark: markProject(project.owner),
      permissions: [permit(name, PULL)],
    })
    const webhookId = hook && (await this.#createOrUpdateWebhook(name, hook))
    return { id, account, webhookId, isPublic }
  }

  /** Removes the account first, so that no client pulls during the removal. */
  async unlink({ name, owner, accountId, isAdopted }: ObsoleteProject): Promise<void> {
    const account = accountId === null ? null : { id: accountId }
    await this.#robots.removeOwn({ name, mark: owner && markProject(owner), account })
    if (!(await this.#exists(name))) {
      await this.requireAccount()
    } else if (isAdopted) {
      await this.#removeWebhook(name)
    } else {
      await this.#removeRepositories(name)
      await this.#remove(projectPath(name))
    }
  }

  findAccountName(id: string): Promise<string | null> {
    return this.#robots.findName(id)
  }

  async ensureWorkerAccount(worker: DesiredWorkerAccount): Promise<Account | null> {
    const { projects } = worker
    const permissions = projects.map((project) =>
      permit(project.name, project.isPushedTo ? WRITE : READ)
    )
    if (permissions.length > 0) {
      const mark = markWorker(worker.owner)
      return this.#robots.ensure({ ...worker, mark, permissions, newSecret: null, adopts: false })
    }
    await this.removeWorkerAccount(worker)
    return null
  }

  async removeWorkerAccount({ name, owner, account }: WorkerAccount): Promise<void> {
    await this.#robots.removeOwn({ name, mark: markWorker(owner), account })
  }

  async #exists(name: string): Promise<boolean> {
    const { status } = await this.#api.request('GET', projectPath(name), { expected: [MISSING] })
    return status !== MISSING
  }

  /** A private project that somebody else made stays private, whatever its record says. */
  async #createOrUpdateProject({ name, isPublic, mayExist, isAdopted }: DesiredProject) {
    const metadata = { public: String(isPublic) }
    const { status } = await this.#api.request('POST', 'projects', {
      body: { project_name: name, public: isPublic, metadata },
      expected: [CONFLICT],
    })
    if (status === CONFLICT && !mayExist) {
      throw new NameTaken(name)
    }
    if (status === CONFLICT && !(isAdopted && isPublic)) {
      await this.#api.request('PUT', projectPath(name), { body: { public: isPublic, metadata } })
    }
    const { body } = await this.#api.request('GET', projectPath(name))
    return { id: parseId(body?.project_id), isPublic: isPublicIn(body) }
  }

  async #createOrUpdateWebhook(
    project: string,
    { address, authorization }: Webhook
  ): Promise<string> {
    const path = `${projectPath(project)}/webhook/policies`
    const body = {
      name: WEBHOOK,
      enabled: true,
      event_types: EVENT_TYPES,
      targets: [
        {
          type: 'http',
          address,
          auth_header: authorization,
          skip_cert_verify: this.#api.isInsecure,
        },
      ],
    }
    const response = await this.#api.request('POST', path, { body, expected: [CONFLICT] })
    const created = /\/(\d+)$/.exec(response.location ?? '')?.[1]
    if (response.status !== CONFLICT && created !== undefined) {
      return created
    }
    const id = await this.#findWebhookId(project)
    if (response.status === CONFLICT) {
      await this.#api.request('PUT', `${path}/${id}`, { body })
    }
    return parseId(id)
  }

  async #removeWebhook(project: string): Promise<void> {
    const id = await this.#findWebhookId(project)
    if (id !== undefined) {
      await this.#remove(`${projectPath(project)}/webhook/policies/${id}`)
    }
  }

  async #findWebhookId(project: string): Promise<string | undefined> {
    const query = new URLSearchParams({ q: `name=${WEBHOOK}` })
    const path = `${projectPath(project)}/webhook/policies?${query}`
    const policies = await this.#list<{ id: unknown; name: string }>(path)
    const found = policies.find(({ name }) => name === WEBHOOK)
    return found && parseId(found.id)
  }

  /** Always reads the first page, since each removal shifts the next ones there. */
  async #removeRepositories(project: string): Promise<void> {
    const path = `${projectPath(project)}/repositories`
    let removed = PAGE_SIZE
    while (removed === PAGE_SIZE) {
      const page = await this.#list<{ name: string }>(`${path}?page=1&page_size=${PAGE_SIZE}`)
      for (const { name } of page) {
        await this.#remove(`${path}/${repositoryPath(project, name)}`)
      }
      removed = page.length
    }
  }

  async #list<Item>(path: string): Promise<Item[]> {
    const { body } = await this.#api.request('GET', path)
    return parseList(body)
  }

  async #remove(path: string): Promise<void> {
    await this.#api.request('DELETE', path, { expected: [MISSING] })
  }
}

const isPublicIn = (project: any): boolean => String(project?.metadata?.public) === 'true'

const projectPath = (name: string) => `projects/${encodeURIComponent(name)}`

/** Harbor expects slashes in names of repositories to be encoded twice. */
const repositoryPath = (project: string, name: string) =>
  encodeURIComponent(encodeURIComponent(name.replace(`${project}/`, '')))
