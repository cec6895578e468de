import {
  RegistryFailure,
  type Account,
  type Hook,
  type LinkedProject,
  type RegistryDriver,
  type UnwantedProject,
  type WantedProject,
} from '../driver.js'
import type { HarborApi } from './harbor_api.js'

const PAGE = 50
const WEBHOOK = 'api'
const TELLS_OF = ['PUSH_ARTIFACT']

/** Who has the account of a project can pull from it, and nothing else. */
const PULL = [
  { resource: 'artifact', action: 'list' },
  { resource: 'artifact', action: 'read' },
  { resource: 'repository', action: 'list' },
  { resource: 'repository', action: 'pull' },
  { resource: 'tag', action: 'list' },
  { resource: 'project', action: 'read' },
]

const CONFLICT = 409
const MISSING = 404

/**
 * Projects of a Harbor: each has a robot account that can pull from it, and a webhook.
 */
export class HarborDriver implements RegistryDriver {
  readonly #api: HarborApi

  constructor(api: HarborApi) {
    this.#api = api
  }

  async has(name: string): Promise<boolean> {
    const { status } = await this.#api.ask('GET', projectPath(name), { expected: [MISSING] })
    return status !== MISSING
  }

  async link(project: WantedProject): Promise<LinkedProject> {
    const { name, hook } = project
    const id = await this.#project(project)
    const account = await this.#account(project)
    return { id, account, webhookId: hook && (await this.#webhook(name, hook)) }
  }

  /** The account goes first: nobody pulls from what is being removed. */
  async unlink({ name, accountId, isAdopted }: UnwantedProject): Promise<void> {
    const robot = accountId ?? (isAdopted ? undefined : await this.#robotId(name))
    if (robot !== undefined) {
      await this.#remove(`robots/${encodeURIComponent(robot)}`)
    }
    if (!(await this.has(name))) {
      await this.#requireProjects()
    } else if (isAdopted) {
      await this.#removeWebhook(name)
    } else {
      await this.#removeRepositories(name)
      await this.#remove(projectPath(name))
    }
  }

  /** One that knows no project at all is not believed that it does not know this one. */
  async #requireProjects(): Promise<void> {
    await this.#list('projects?page=1&page_size=1')
  }

  async #project({ name, isPublic }: WantedProject): Promise<string> {
    const metadata = { public: String(isPublic) }
    const { status } = await this.#api.ask('POST', 'projects', {
      body: { project_name: name, public: isPublic, metadata },
      expected: [CONFLICT],
    })
    if (status === CONFLICT) {
      await this.#api.ask('PUT', projectPath(name), { body: { public: isPublic, metadata } })
    }
    const { body } = await this.#api.ask('GET', projectPath(name))
    return idIn(body?.project_id)
  }

  async #account(project: WantedProject): Promise<Account> {
    const { account, newSecret } = project
    if (!account) {
      return this.#newAccount(project)
    }
    const secret = newSecret ?? account.secret
    const isThere = await this.#setSecret(account.id, secret)
    return isThere ? { ...account, secret } : this.#newAccount(project)
  }

  async #newAccount({ name, newSecret }: WantedProject): Promise<Account> {
    const { status, body } = await this.#api.ask('POST', 'robots', {
      body: {
        name,
        description: '',
        duration: -1,
        level: 'system',
        editable: true,
        disable: false,
        permissions: [{ kind: 'project', namespace: name, access: PULL }],
      },
      expected: [CONFLICT],
    })
    const made = status === CONFLICT ? await this.#robot(name) : body
    const robot = { id: idIn(made?.id), name: textIn(made?.name) }
    if (newSecret !== null) {
      await this.#setSecret(robot.id, newSecret)
      return { ...robot, secret: newSecret }
    }
    const secret = status === CONFLICT ? await this.#resetSecret(robot.id) : textIn(body.secret)
    return { ...robot, secret }
  }

  /** Answers false where there is no such robot. */
  async #setSecret(robotId: string, secret: string): Promise<boolean> {
    const path = `robots/${encodeURIComponent(robotId)}`
    const { status } = await this.#api.ask('PATCH', path, {
      body: { secret },
      expected: [MISSING],
    })
    return status !== MISSING
  }

  async #resetSecret(robotId: string): Promise<string> {
    const path = `robots/${encodeURIComponent(robotId)}`
    const { body } = await this.#api.ask('PATCH', path, { body: {} })
    return textIn(body?.secret)
  }

  async #robotId(name: string): Promise<string | undefined> {
    const robot = await this.#robot(name)
    return robot && idIn(robot.id)
  }

  /** Harbor puts a prefix of its own before the name. */
  async #robot(name: string): Promise<{ id: unknown; name: string } | undefined> {
    const query = new URLSearchParams({ q: `name=${name}`, page_size: '1' })
    const robots = await this.#list<{ id: unknown; name: string }>(`robots?${query}`)
    return robots.find((robot) => robot.name === name || robot.name.endsWith(`$${name}`))
  }

  async #webhook(project: string, { address, authorization }: Hook): Promise<string> {
    const path = `${projectPath(project)}/webhook/policies`
    const body = {
      name: WEBHOOK,
      enabled: true,
      event_types: TELLS_OF,
      targets: [{ type: 'http', address, auth_header: authorization, skip_cert_verify: true }],
    }
    const made = await this.#api.ask('POST', path, { body, expected: [CONFLICT] })
    const created = /\/(\d+)$/.exec(made.location ?? '')?.[1]
    if (made.status !== CONFLICT && created !== undefined) {
      return created
    }
    const id = await this.#webhookId(project)
    if (made.status === CONFLICT) {
      await this.#api.ask('PUT', `${path}/${id}`, { body })
    }
    return idIn(id)
  }

  async #removeWebhook(project: string): Promise<void> {
    const id = await this.#webhookId(project)
    if (id !== undefined) {
      await this.#remove(`${projectPath(project)}/webhook/policies/${id}`)
    }
  }

  async #webhookId(project: string): Promise<string | undefined> {
    const query = new URLSearchParams({ q: `name=${WEBHOOK}` })
    const path = `${projectPath(project)}/webhook/policies?${query}`
    const policies = await this.#list<{ id: unknown; name: string }>(path)
    const found = policies.find(({ name }) => name === WEBHOOK)
    return found && idIn(found.id)
  }

  /** Always the first page: what is removed is on none. */
  async #removeRepositories(project: string): Promise<void> {
    const path = `${projectPath(project)}/repositories`
    let removed = PAGE
    while (removed === PAGE) {
      const page = await this.#list<{ name: string }>(`${path}?page=1&page_size=${PAGE}`)
      for (const { name } of page) {
        await this.#remove(`${path}/${repositoryIn(project, name)}`)
      }
      removed = page.length
    }
  }

  async #list<Item>(path: string): Promise<Item[]> {
    const { body } = await this.#api.ask('GET', path)
    if (!Array.isArray(body)) {
      throw new RegistryFailure('The registry answered with no list', false)
    }
    return body
  }

  async #remove(path: string): Promise<void> {
    await this.#api.ask('DELETE', path, { expected: [MISSING] })
  }
}

const projectPath = (name: string) => `projects/${encodeURIComponent(name)}`

/** Slashes within the name of a repository are encoded twice, or the way to it would be another one. */
const repositoryIn = (project: string, name: string) =>
  encodeURIComponent(encodeURIComponent(name.replace(`${project}/`, '')))

function idIn(value: unknown): string {
  if (typeof value !== 'number' && typeof value !== 'string') {
    throw new RegistryFailure('The registry answered without an id', false)
  }
  return String(value)
}

function textIn(value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw new RegistryFailure('The registry answered without a name or a secret', false)
  }
  return value
}
