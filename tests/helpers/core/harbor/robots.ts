import {
  badRequest,
  conflict,
  forbidden,
  isSought,
  jsonOf,
  missing,
  NAME,
  pageOf,
  unauthorized,
  unprocessable,
  type Question,
  type Reply,
} from './exchange.js'

interface Permission {
  readonly kind: string
  readonly namespace: string
  readonly access: readonly { readonly resource: string; readonly action: string }[]
}

export interface Robot {
  readonly id: number
  /** Without what Harbor puts before it. */
  readonly stem: string
  readonly level: string
  readonly project: string | undefined
  readonly name: string
  secret: string
  disable: boolean
  description: string
  permissions: readonly Permission[]
}

const ACTIONS = ['list', 'read', 'pull', 'push', 'create', 'update', 'delete', 'operate', 'stop']
const STRONG = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,128}$/

/** The robot accounts of a Harbor. */
export class Robots {
  readonly all = new Map<number, Robot>()
  /** Stands before the names of all of them, also of those that were made before it was changed. */
  prefix = 'robot$'
  #ids = 0
  #secrets = 0
  readonly #isProject: (name: string) => boolean

  constructor(isProject: (name: string) => boolean) {
    this.#isProject = isProject
  }

  skipIds(upTo: number): void {
    this.#ids = Math.max(this.#ids, upTo)
  }

  /** The account for a whole Harbor that was made under a name. */
  find(stem: string): Robot | undefined {
    return this.#withName(stem, 'system', undefined)
  }

  add(
    stem: string,
    permissions: readonly Permission[] = [],
    level = 'system',
    description = ''
  ): Robot {
    const id = ++this.#ids
    const project = level === 'project' ? permissions[0]!.namespace : undefined
    const prefix = () => this.prefix
    const robot = {
      id,
      stem,
      level,
      project,
      get name() {
        return prefix() + (project === undefined ? stem : `${project}+${stem}`)
      },
      secret: this.#newSecret(),
      disable: false,
      description,
      permissions,
    }
    this.all.set(id, robot)
    return robot
  }

  /** What may be done in a project goes with it; an account for the whole Harbor stays, and so does its name. */
  forgetProject(project: string): void {
    for (const robot of this.all.values()) {
      robot.permissions = robot.permissions.filter(({ namespace }) => namespace !== project)
      if (robot.project === project) {
        this.all.delete(robot.id)
      }
    }
  }

  answer(question: Question, projectId: (name: string) => number | undefined): Reply {
    const { method, path, caller } = question
    const [, id] = path
    if (caller.kind === 'nobody') {
      throw unauthorized()
    }
    if (id !== undefined && !/^\d+$/.test(id)) {
      throw unprocessable(`robot_id in path must be of type int64: "${id}"`)
    }
    const robot = id === undefined ? undefined : this.all.get(Number(id))
    if (caller.kind !== 'admin' && (method !== 'DELETE' || robot)) {
      throw forbidden(caller.name)
    }
    if (id === undefined) {
      return method === 'GET' ? this.#list(question, projectId) : this.#create(question)
    }
    if (!robot) {
      throw missing(`robot ${id}`)
    }
    return this.#answerOne(question, robot)
  }

  #answerOne(question: Question, robot: Robot): Reply {
    switch (question.method) {
      case 'GET':
        return { status: 200, body: shown(robot) }
      case 'DELETE':
        this.all.delete(robot.id)
        return { status: 200 }
      case 'PUT':
        return this.#put(jsonOf(question), robot)
      default:
        return this.#patch(jsonOf(question), robot)
    }
  }

  #list(question: Question, projectId: (name: string) => number | undefined): Reply {
    const wanted = /Level=project,ProjectID=(\d+)/.exec(question.query.get('q') ?? '')?.[1]
    const found = [...this.all.values()].filter(({ level, project, stem }) =>
      wanted === undefined
        ? level === 'system' && isSought(question, stem)
        : level === 'project' && projectId(project!) === Number(wanted)
    )
    return pageOf(question, found.reverse().map(shown))
  }

  #create(question: Question): Reply {
    const { name, duration, level, permissions, description } = jsonOf(question)
    if (typeof name !== 'string' || !NAME.test(name)) {
      throw badRequest('robot name is not in lower case or contains illegal characters')
    }
    if (duration === 0 || duration < -1) {
      throw badRequest('bad request error duration input')
    }
    if (level !== 'system' && level !== 'project') {
      throw badRequest(`bad request error level input: ${level}`)
    }
    this.#requirePermissions(permissions, level)
    const project = level === 'project' ? permissions[0].namespace : undefined
    if (this.#withName(name, level, project)) {
      this.#ids++
      throw conflict(`robot account 0:${name} already exists`)
    }
    const robot = this.add(name, permissions, level, description)
    const { id, secret } = robot
    const body = {
      creation_time: new Date().toISOString(),
      expires_at: -1,
      id,
      name: robot.name,
      secret,
    }
    return { status: 201, body, location: `/api/v2.0/robots/${id}` }
  }

  #requirePermissions(permissions: readonly Permission[] | undefined, level: string): void {
    if (!permissions?.length) {
      throw badRequest('bad request empty permission')
    }
    if (level === 'project' && permissions.length !== 1) {
      throw badRequest('bad request permission')
    }
    for (const { kind, namespace, access } of permissions) {
      if (access.some(({ action }) => !ACTIONS.includes(action))) {
        throw badRequest('bad request permission')
      }
      if (kind === 'project' && namespace !== '*' && !this.#isProject(namespace)) {
        throw missing(`project ${namespace}`)
      }
    }
  }

  #put({ name, level, disable, permissions, description }: any, robot: Robot): Reply {
    if (name !== robot.name || level !== robot.level) {
      throw badRequest('cannot update the level or name of robot')
    }
    this.#requirePermissions(permissions, level)
    robot.disable = disable
    robot.description = description
    robot.permissions = permissions
    return { status: 200 }
  }

  #patch({ secret }: any, robot: Robot): Reply {
    if (!secret) {
      robot.secret = this.#newSecret()
      return { status: 200, body: { secret: robot.secret } }
    }
    if (!STRONG.test(secret)) {
      throw badRequest('the secret must be 8-128, inclusively, characters long')
    }
    robot.secret = secret
    return { status: 200, body: {} }
  }

  #newSecret(): string {
    return `Generated${++this.#secrets}`
  }

  #withName(stem: string, level: string, project: string | undefined): Robot | undefined {
    return [...this.all.values()].find(
      (robot) => robot.stem === stem && robot.level === level && robot.project === project
    )
  }
}

/** A description is left out where there is none. */
const shown = ({ id, name, level, disable, permissions, description }: Robot) => ({
  id,
  name,
  level,
  disable,
  ...(description && { description }),
  permissions,
  duration: -1,
  editable: true,
  expires_at: -1,
})
