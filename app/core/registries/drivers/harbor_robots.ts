import { RegistryFailure, type Account } from '#core/registries/registry_driver'
import { isRobotSecret } from '#core/registries/robot_secret'
import type { HarborApi } from './harbor_api.js'
import { parseId, parseList, MISSING, parseText } from './harbor_fields.js'

/** The permitted actions in one project. */
export interface Permission {
  readonly kind: 'project'
  readonly namespace: string
  readonly access: readonly PermittedAction[]
}

interface PermittedAction {
  readonly resource: string
  readonly action: string
}

/** An account and its owner. The mark of the owner is the description of the account, since a name proves nothing. */
export interface RobotIdentity {
  readonly name: string
  /** Null if the owner is unknown. */
  readonly mark: string | null
  /** The stored account, if any. */
  readonly account: Pick<Account, 'id'> | null
}

export interface DesiredRobot extends RobotIdentity {
  readonly mark: string
  readonly permissions: readonly Permission[]
  readonly account: Account | null
  /** Whether an administrator adopts an account that is not marked. */
  readonly adopts: boolean
  /** The new secret. If null, the account keeps its secret, or Harbor generates one. */
  readonly newSecret: string | null
}

interface Robot extends Pick<Account, 'id' | 'name'> {
  readonly description: string
}

const PROJECT_MARK = 'Analysis Hub, registry project '
const WORKER_MARK = 'Analysis Hub, worker of registry '

/** Different marks keep the accounts of projects and of workers apart. */
export const markProject = (projectId: string) => `${PROJECT_MARK}${projectId}`
export const markWorker = (registryId: string) => `${WORKER_MARK}${registryId}`

const robotBody = (mark: string, permissions: readonly Permission[]) => ({
  description: mark,
  duration: -1,
  level: 'system',
  editable: true,
  disable: false,
  permissions,
})

/** Manages the robot accounts of the platform in Harbor. */
export class HarborRobots {
  readonly #api: HarborApi

  constructor(api: HarborApi) {
    this.#api = api
  }

  /** Only administrators can list robot accounts. */
  async requireAdministrator(): Promise<void> {
    await this.#list('robots?page=1&page_size=1')
  }

  /** Creates or updates an account. Finds it by name, since its id, prefix or permissions may have changed. */
  async ensure(desired: DesiredRobot): Promise<Account> {
    const existing = await this.#find(desired.name)
    if (!existing) {
      return this.#create(desired)
    }
    if (!isOwn(existing, desired) && !(desired.adopts && isAdoptable(existing))) {
      throw new RegistryFailure(
        `The registry has an account ${existing.name} that the platform did not create: remove it there, or choose another externalName`,
        false
      )
    }
    const { id, name } = existing
    const { account, newSecret, permissions } = desired
    const stored = account?.id === id ? account.secret : null
    const secret = await this.#setSecret(id, usableSecret(newSecret) ?? usableSecret(stored))
    await this.#update(existing, desired)
    await this.#requirePermissions(id, permissions)
    return { id, name, secret }
  }

  /** Returns whether the account of this name belongs to the owner. */
  async hasOwn(robot: RobotIdentity): Promise<boolean> {
    const found = await this.#find(robot.name)
    return found !== undefined && isOwn(found, robot)
  }

  async findName(id: string): Promise<string | null> {
    const { status, body } = await this.#api.request('GET', robotPath(id), { expected: [MISSING] })
    return status === MISSING ? null : parseText(body?.name)
  }

  /** Removes an account, unless it belongs to another owner. */
  async removeOwn(robot: RobotIdentity): Promise<void> {
    const found = await this.#find(robot.name)
    if (found && isOwn(found, robot)) {
      await this.#api.request('DELETE', robotPath(found.id), { expected: [MISSING] })
    }
  }

  async #create({ name, mark, permissions, newSecret }: DesiredRobot): Promise<Account> {
    const { body } = await this.#api.request('POST', 'robots', {
      body: { name, ...robotBody(mark, permissions) },
    })
    const robot = { id: parseId(body?.id), name: parseText(body?.name) }
    const chosen = usableSecret(newSecret)
    return {
      ...robot,
      secret: chosen === null ? parseText(body.secret) : await this.#setSecret(robot.id, chosen),
    }
  }

  /** Sets a secret. If null, the registry generates one. */
  async #setSecret(id: string, secret: string | null): Promise<string> {
    const { body } = await this.#api.request('PATCH', robotPath(id), {
      body: secret === null ? {} : { secret },
    })
    return secret ?? parseText(body?.secret)
  }

  /** Restores permissions, which an account loses with its project, and enables it. */
  async #update({ id, name }: Robot, { mark, permissions }: DesiredRobot): Promise<void> {
    const body = { id: Number(id), name, ...robotBody(mark, permissions) }
    await this.#api.request('PUT', robotPath(id), { body })
  }

  async #requirePermissions(id: string, desired: readonly Permission[]): Promise<void> {
    const { body } = await this.#api.request('GET', robotPath(id))
    const stored = (body?.permissions ?? []) as Permission[]
    const missing = desired
      .flatMap(({ namespace, access }) => access.map((one) => ({ namespace, ...one })))
      .filter(({ action }) => action === 'pull' || action === 'push')
      .find((one) => !includesAction(stored, one))
    if (body?.disable === true || missing) {
      const action = missing?.action ?? 'pull'
      throw new RegistryFailure(
        `The registry did not grant an account the permission to ${action}`,
        false
      )
    }
  }

  /** Searches without the prefix that Harbor adds to names, since an operator may change it. */
  async #find(name: string): Promise<Robot | undefined> {
    const query = new URLSearchParams({ q: `name=${name}`, page_size: '10' })
    const robots = await this.#list(`robots?${query}`)
    const found = robots.find((robot) => robot.level === 'system' && robot.name.endsWith(name))
    return (
      found && {
        id: parseId(found.id),
        name: parseText(found.name),
        description: String(found.description ?? ''),
      }
    )
  }

  async #list(
    path: string
  ): Promise<{ id: unknown; name: string; level?: string; description?: unknown }[]> {
    const { body } = await this.#api.request('GET', path)
    return parseList(body)
  }
}

const isMarked = ({ description }: Robot) =>
  description.startsWith(PROJECT_MARK) || description.startsWith(WORKER_MARK)

/** Accounts of workers are not: they can push images of all realms. */
const isAdoptable = ({ description }: Robot) => !description.startsWith(WORKER_MARK)

/** Accounts older than the marks are identified by their id. */
const isOwn = (robot: Robot, { mark, account }: RobotIdentity): boolean =>
  isMarked(robot) ? robot.description === mark : robot.id === account?.id

function includesAction(
  stored: readonly Permission[],
  { namespace, resource, action }: PermittedAction & { readonly namespace: string }
): boolean {
  return stored.some(
    (permission) =>
      permission.namespace === namespace &&
      permission.access.some((one) => one.resource === resource && one.action === action)
  )
}

/** Returns null for a secret that the registry would reject. */
const usableSecret = (secret: string | null | undefined): string | null =>
  secret && isRobotSecret(secret) ? secret : null

const robotPath = (id: string) => `robots/${encodeURIComponent(id)}`
