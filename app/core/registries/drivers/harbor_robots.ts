import { RegistryFailure, type Account } from '#core/registries/registry_driver'
import { isRobotSecret } from '#core/registries/robot_secret'
import type { HarborApi } from './harbor_api.js'
import { parseId, parseList, MISSING, parseText } from './harbor_fields.js'

/** What an account may do in one project. */
export interface Permission {
  readonly kind: 'project'
  readonly namespace: string
  readonly access: readonly PermittedAction[]
}

interface PermittedAction {
  readonly resource: string
  readonly action: string
}

/** Whose account it is: the platform writes that into the account, since a name alone may be anybody's. */
export interface RobotIdentity {
  readonly name: string
  /** Null where it is not known whose it is. */
  readonly mark: string | null
  /** The account it had until now, if any. */
  readonly account: Pick<Account, 'id'> | null
}

export interface DesiredRobot extends RobotIdentity {
  readonly mark: string
  readonly permissions: readonly Permission[]
  readonly account: Account | null
  /** Whether one that nobody marked is taken over: an administrator named it. */
  readonly adopts: boolean
  /** The secret it should get; without one it keeps its own, or gets one from Harbor. */
  readonly newSecret: string | null
}

interface Robot extends Pick<Account, 'id' | 'name'> {
  readonly description: string
}

const PROJECT_MARK = 'Analysis Hub, registry project '
const WORKER_MARK = 'Analysis Hub, worker of registry '

/** Accounts of registry projects and of workers are never taken for each other. */
export const markProject = (projectId: string) => `${PROJECT_MARK}${projectId}`
export const markWorker = (registryId: string) => `${WORKER_MARK}${registryId}`

/** An account as it should be, but for its name. */
const robotBody = (mark: string, permissions: readonly Permission[]) => ({
  description: mark,
  duration: -1,
  level: 'system',
  editable: true,
  disable: false,
  permissions,
})

/** The robot accounts of a Harbor that the platform gives to others. */
export class HarborRobots {
  readonly #api: HarborApi

  constructor(api: HarborApi) {
    this.#api = api
  }

  /** Asks for what only an administrator sees. */
  async requireAdministrator(): Promise<void> {
    await this.#list('robots?page=1&page_size=1')
  }

  /** The account by its name, for it may have another id, another full name or no permissions any more since it was made. */
  async ensure(desired: DesiredRobot): Promise<Account> {
    const existing = await this.#find(desired.name)
    if (!existing) {
      return this.#create(desired)
    }
    if (!isOwn(existing, desired) && !(desired.adopts && isAdoptable(existing))) {
      throw new RegistryFailure(
        `The registry has an account ${existing.name} that the platform did not make for this; remove it there, or choose another externalName`,
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

  /** Whether the account of this name was made for the one that is asked for. */
  async hasOwn(robot: RobotIdentity): Promise<boolean> {
    const found = await this.#find(robot.name)
    return found !== undefined && isOwn(found, robot)
  }

  async findName(id: string): Promise<string | null> {
    const { status, body } = await this.#api.request('GET', robotPath(id), { expected: [MISSING] })
    return status === MISSING ? null : parseText(body?.name)
  }

  /** Removes an account, unless what has its name is somebody else's. */
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

  /** Sets a secret, or has the registry make one up. */
  async #setSecret(id: string, secret: string | null): Promise<string> {
    const { body } = await this.#api.request('PATCH', robotPath(id), {
      body: secret === null ? {} : { secret },
    })
    return secret ?? parseText(body?.secret)
  }

  /** An account outlives its project without what it may do there, and may have been disabled by hand. */
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
      throw new RegistryFailure(`The registry keeps an account that may not ${action}`, false)
    }
  }

  /** Asked for without the prefix that Harbor puts before all names, whichever it is now. */
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

/** Those of workers are not: whoever has one changes the images of everybody. */
const isAdoptable = ({ description }: Robot) => !description.startsWith(WORKER_MARK)

/** Accounts from before they were marked are known by their id. */
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

/** A secret the registry would refuse is none. */
const usableSecret = (secret: string | null | undefined): string | null =>
  secret && isRobotSecret(secret) ? secret : null

const robotPath = (id: string) => `robots/${encodeURIComponent(id)}`
