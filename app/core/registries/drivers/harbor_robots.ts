import { RegistryFailure, type Account } from '#core/registries/driver'
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

export interface WantedRobot {
  readonly name: string
  readonly permissions: readonly Permission[]
  /** The account it had until now, if any. */
  readonly account: Account | null
  /** The secret it should get; without one it keeps its own, or gets one from Harbor. */
  readonly newSecret: string | null
}

type Robot = Pick<Account, 'id' | 'name'>

/** An account as it should be, but for its name. */
const traitsOf = (permissions: readonly Permission[]) => ({
  description: '',
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
    const { account, newSecret, permissions } = wanted
    const kept = account?.id === known.id ? account.secret : null
    const secret = await this.#setSecret(known.id, usable(newSecret) ?? usable(kept))
    await this.#mend(known, permissions)
    await this.#requireAllowed(known.id, permissions)
    return { ...known, secret }
  }

  async idOf(name: string): Promise<string | undefined> {
    const robot = await this.#find(name)
    return robot?.id
  }

  async remove(id: string): Promise<void> {
    await this.#api.ask('DELETE', pathOf(id), { expected: [MISSING] })
  }

  async #make({ name, permissions, newSecret }: WantedRobot): Promise<Account> {
    const { body } = await this.#api.ask('POST', 'robots', {
      body: { name, ...traitsOf(permissions) },
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
  async #mend({ id, name }: Robot, permissions: readonly Permission[]): Promise<void> {
    const body = { id: Number(id), name, ...traitsOf(permissions) }
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
    return found && { id: idIn(found.id), name: textIn(found.name) }
  }

  async #list(path: string): Promise<{ id: unknown; name: string; level?: string }[]> {
    const { body } = await this.#api.ask('GET', path)
    return listIn(body)
  }
}

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
