import {
  RegistryFailure,
  type Account,
  type Hook,
  type LinkedProject,
  type RegistryDriver,
  type UnwantedProject,
  type WantedProject,
} from '#core/registries/driver'
import { isRobotSecret } from '#core/registries/robot_secret'
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

/** An account as it should be, but for its name. */
const robotOf = (project: string) => ({
  description: '',
  duration: -1,
  level: 'system',
  editable: true,
  disable: false,
  permissions: [{ kind: 'project', namespace: project, access: PULL }],
})

type Robot = Pick<Account, 'id' | 'name'>

interface Permission {
  readonly namespace: string
  readonly access: readonly { readonly resource: string; readonly action: string }[]
}

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

  /** Projects may be public; who has what account is nothing for strangers. */
  async requireAccount(): Promise<void> {
    await this.#list('robots?page=1&page_size=1')
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

  /** The account goes first: no client pulls from what is being removed. */
  async unlink({ name, accountId, isAdopted }: UnwantedProject): Promise<void> {
    const robot = accountId ?? (isAdopted ? undefined : await this.#idOf(name))
    if (robot !== undefined) {
      await this.#remove(robotPath(robot))
    }
    if (!(await this.has(name))) {
      await this.requireAccount()
    } else if (isAdopted) {
      await this.#removeWebhook(name)
    } else {
      await this.#removeRepositories(name)
      await this.#remove(projectPath(name))
    }
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

  /** The account by its name, for it may have another id, another full name or no permissions any more since it was made. */
  async #account({ name, account, newSecret }: WantedProject): Promise<Account> {
    const known = await this.#robot(name)
    if (!known) {
      return this.#newAccount(name, newSecret)
    }
    const kept = account?.id === known.id ? account.secret : null
    const secret = await this.#setSecret(known.id, usable(newSecret) ?? usable(kept))
    await this.#mend(name, known)
    await this.#requirePull(name, known.id)
    return { ...known, secret }
  }

  async #newAccount(name: string, newSecret: string | null): Promise<Account> {
    const { body } = await this.#api.ask('POST', 'robots', { body: { name, ...robotOf(name) } })
    const robot = { id: idIn(body?.id), name: textIn(body?.name) }
    const chosen = usable(newSecret)
    return {
      ...robot,
      secret: chosen === null ? textIn(body.secret) : await this.#setSecret(robot.id, chosen),
    }
  }

  /** Sets a secret, or has the registry make one up. */
  async #setSecret(robotId: string, secret: string | null): Promise<string> {
    const { body } = await this.#api.ask('PATCH', robotPath(robotId), {
      body: secret === null ? {} : { secret },
    })
    return secret ?? textIn(body?.secret)
  }

  /** An account outlives its project without what it may do there, and may have been disabled by hand. */
  async #mend(project: string, { id, name }: Robot): Promise<void> {
    const body = { id: Number(id), name, ...robotOf(project) }
    await this.#api.ask('PUT', robotPath(id), { body })
  }

  async #requirePull(project: string, robotId: string): Promise<void> {
    const { body } = await this.#api.ask('GET', robotPath(robotId))
    const mayPull = (body?.permissions as Permission[] | undefined)?.some(
      ({ namespace, access }) =>
        namespace === project &&
        access.some(({ resource, action }) => resource === 'repository' && action === 'pull')
    )
    if (body?.disable === true || !mayPull) {
      throw new RegistryFailure('The registry keeps an account that may not pull', false)
    }
  }

  async #idOf(name: string): Promise<string | undefined> {
    const robot = await this.#robot(name)
    return robot?.id
  }

  /** Asked for without the prefix that Harbor puts before all names, whichever it is now. */
  async #robot(name: string): Promise<Robot | undefined> {
    const query = new URLSearchParams({ q: `name=${name}`, page_size: '10' })
    const robots = await this.#list<{ id: unknown; name: string; level?: string }>(
      `robots?${query}`
    )
    const found = robots.find((robot) => robot.level === 'system' && robot.name.endsWith(name))
    return found && { id: idIn(found.id), name: textIn(found.name) }
  }

  async #webhook(project: string, { address, authorization }: Hook): Promise<string> {
    const path = `${projectPath(project)}/webhook/policies`
    const body = {
      name: WEBHOOK,
      enabled: true,
      event_types: TELLS_OF,
      targets: [
        {
          type: 'http',
          address,
          auth_header: authorization,
          skip_cert_verify: this.#api.isInsecure,
        },
      ],
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

/** A secret the registry would refuse is none. */
const usable = (secret: string | null | undefined): string | null =>
  secret && isRobotSecret(secret) ? secret : null

const robotPath = (id: string) => `robots/${encodeURIComponent(id)}`

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
