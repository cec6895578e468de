import { RegistryFailure, type Account } from '#core/registries/registry_driver'
import { isRobotSecret } from '#core/registries/robot_secret'
import type { HarborApi } from './harbor_api.js'
import { idIn, listIn, MISSING, textIn } from './harbor_answers.js'

/** What an account may do in one project. */
export interface Permission {
  readonly kind: 'project'
  readonly namespace: string
  readonly access: readonly Access[]
}

interface Access {
  readonly resource: string
  readonly action: string
}

/** Whose account it is: the platform writes that into the account, since a name alone may be anybody's. */
export interface OwnRobot {
  readonly name: string
  /** Null where it is not known whose it is. */
  readonly mark: string | null
  /** The account it had until now, if any. */
  readonly account: Pick<Account, 'id'> | null
}

export interface WantedRobot extends OwnRobot {
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

const OF_PROJECT = 'Analysis Hub, registry project '
const OF_WORKER = 'Analysis Hub, worker of registry '

/** Accounts of registry projects and of workers are never taken for each other. */
export const projectMark = (projectId: string) => `${OF_PROJECT}${projectId}`
export const workerMark = (registryId: string) => `${OF_WORKER}${registryId}`

/** An account as it should be, but for its name. */
const traitsOf = (mark: string, permissions: readonly Permission[]) => ({
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
  async keep(wanted: WantedRobot): Promise<Account> {
    const known = await this.#find(wanted.name)
    if (!known) {
      return this.#make(wanted)
    }
    if (!isOwn(known, wanted) && !(wanted.adopts && isAdoptable(known))) {
      throw new RegistryFailure(
        `The registry has an account ${known.name} that the platform did not make for this; remove it there, or choose another externalName`,
        false
      )
    }
    const { id, name } = known
    const { account, newSecret, permissions } = wanted
    const kept = account?.id === id ? account.secret : null
    const secret = await this.#setSecret(id, usable(newSecret) ?? usable(kept))
    await this.#mend(known, wanted)
    await this.#requireAllowed(id, permissions)
    return { id, name, secret }
  }

  /** Whether the account of this name was made for the one that is asked for. */
  async hasOwn(robot: OwnRobot): Promise<boolean> {
    const found = await this.#find(robot.name)
    return found !== undefined && isOwn(found, robot)
  }

  async nameOf(id: string): Promise<string | null> {
    const { status, body } = await this.#api.ask('GET', pathOf(id), { expected: [MISSING] })
    return status === MISSING ? null : textIn(body?.name)
  }

  /** Removes an account, unless what has its name is somebody else's. */
  async removeOwn(robot: OwnRobot): Promise<void> {
    const found = await this.#find(robot.name)
    if (found && isOwn(found, robot)) {
      await this.#api.ask('DELETE', pathOf(found.id), { expected: [MISSING] })
    }
  }

  async #make({ name, mark, permissions, newSecret }: WantedRobot): Promise<Account> {
    const { body } = await this.#api.ask('POST', 'robots', {
      body: { name, ...traitsOf(mark, permissions) },
    })
    const robot = { id: idIn(body?.id), name: textIn(body?.name) }
    const chosen = usable(newSecret)
    return {
      ...robot,
      secret: chosen === null ? textIn(body.secret) : await this.#setSecret(robot.id, chosen),
    }
  }

  /** Sets a secret, or has the registry make one up. */
  async #setSecret(id: string, secret: string | null): Promise<string> {
    const { body } = await this.#api.ask('PATCH', pathOf(id), {
      body: secret === null ? {} : { secret },
    })
    return secret ?? textIn(body?.secret)
  }

  /** An account outlives its project without what it may do there, and may have been disabled by hand. */
  async #mend({ id, name }: Robot, { mark, permissions }: WantedRobot): Promise<void> {
    const body = { id: Number(id), name, ...traitsOf(mark, permissions) }
    await this.#api.ask('PUT', pathOf(id), { body })
  }

  async #requireAllowed(id: string, wanted: readonly Permission[]): Promise<void> {
    const { body } = await this.#api.ask('GET', pathOf(id))
    const kept = (body?.permissions ?? []) as Permission[]
    const missing = wanted
      .flatMap(({ namespace, access }) => access.map((one) => ({ namespace, ...one })))
      .filter(({ action }) => action === 'pull' || action === 'push')
      .find((one) => !isAmong(kept, one))
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
        id: idIn(found.id),
        name: textIn(found.name),
        description: String(found.description ?? ''),
      }
    )
  }

  async #list(
    path: string
  ): Promise<{ id: unknown; name: string; level?: string; description?: unknown }[]> {
    const { body } = await this.#api.ask('GET', path)
    return listIn(body)
  }
}

const isMarked = ({ description }: Robot) =>
  description.startsWith(OF_PROJECT) || description.startsWith(OF_WORKER)

/** Those of workers are not: whoever has one changes the images of everybody. */
const isAdoptable = ({ description }: Robot) => !description.startsWith(OF_WORKER)

/** Accounts from before they were marked are known by their id. */
const isOwn = (robot: Robot, { mark, account }: OwnRobot): boolean =>
  isMarked(robot) ? robot.description === mark : robot.id === account?.id

function isAmong(
  kept: readonly Permission[],
  { namespace, resource, action }: Access & { readonly namespace: string }
): boolean {
  return kept.some(
    (permission) =>
      permission.namespace === namespace &&
      permission.access.some((one) => one.resource === resource && one.action === action)
  )
}

/** A secret the registry would refuse is none. */
const usable = (secret: string | null | undefined): string | null =>
  secret && isRobotSecret(secret) ? secret : null

const pathOf = (id: string) => `robots/${encodeURIComponent(id)}`
