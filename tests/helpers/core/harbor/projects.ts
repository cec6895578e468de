import {
  badRequest,
  conflict,
  forbidden,
  isSought,
  jsonOf,
  missing,
  NAME,
  pageOf,
  Refusal,
  unauthorized,
  unprocessable,
  type Caller,
  type Question,
  type Reply,
} from './exchange.js'
import { answerPolicies } from './policies.js'

export interface Project {
  readonly id: number
  readonly name: string
  readonly owner: string
  isPublic: boolean
  /** The oldest first. */
  readonly repositories: Set<string>
  readonly policies: Map<number, any>
}

/** The projects of a Harbor, with what is in them. */
export class Projects {
  readonly all = new Map<string, Project>()
  /** Whether only those who run the Harbor may make projects. */
  isAdminOnly = false
  #ids = 0
  #policyIds = 0
  readonly #onRemoval: (name: string) => void

  constructor(onRemoval: (name: string) => void) {
    this.#onRemoval = onRemoval
  }

  skipIds(upTo: number): void {
    this.#ids = Math.max(this.#ids, upTo)
  }

  skipPolicyIds(upTo: number): void {
    this.#policyIds = Math.max(this.#policyIds, upTo)
  }

  add(name: string, isPublic = false, owner = 'admin'): Project {
    const project = {
      id: ++this.#ids,
      name,
      owner,
      isPublic,
      repositories: new Set<string>(),
      policies: new Map(),
    }
    this.all.set(name, project)
    return project
  }

  remove(name: string): void {
    this.all.delete(name)
    this.#onRemoval(name)
  }

  answer(question: Question): Reply {
    const [, named, kind] = question.path
    if (named === undefined) {
      return this.#answerAll(question)
    }
    const project = this.#named(question, named)
    requireAccess(question, project)
    if (!project) {
      throw missing(kind === 'repositories' ? `repository ${named}` : `project ${named}`)
    }
    switch (kind) {
      case 'repositories':
        return answerRepositories(question, project)
      case 'webhook':
        return answerPolicies(question, project, () => ++this.#policyIds)
      default:
        return this.#answerOne(question, project)
    }
  }

  #answerAll(question: Question): Reply {
    const { method, query, caller } = question
    if (method === 'HEAD') {
      const name = query.get('project_name') ?? ''
      if (!this.all.has(name)) {
        throw missing(`project ${name}`)
      }
      return { status: 200 }
    }
    if (method === 'POST') {
      return this.#create(question)
    }
    const part = query.get('name') ?? ''
    const seen = [...this.all.values()].filter(
      (project) => project.name.includes(part) && (project.isPublic || isOf(caller, project))
    )
    const byName = seen.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    return pageOf(question, byName.map(shown))
  }

  #create(question: Question): Reply {
    const { caller } = question
    if (caller.kind === 'nobody') {
      throw unauthorized()
    }
    if (this.isAdminOnly && caller.kind !== 'admin') {
      throw forbidden('Only system admin can create project')
    }
    const { project_name: name = '', public: isPublic, metadata } = jsonOf(question)
    if (typeof name !== 'string' || name.length > 255) {
      throw unprocessable('project_name in body')
    }
    if (!NAME.test(name)) {
      throw badRequest('project name is not in lower case or contains illegal characters')
    }
    const wanted = publicIn(metadata) ?? isPublic === true
    if (this.all.has(name)) {
      this.#ids++
      throw conflict(`The project named ${name} already exists`)
    }
    const owner = caller.kind === 'user' ? caller.name : 'admin'
    const { id } = this.add(name, wanted, owner)
    return { status: 201, location: `/api/v2.0/projects/${id}` }
  }

  #answerOne(question: Question, project: Project): Reply {
    const { method } = question
    if (method === 'DELETE') {
      if (project.repositories.size > 0) {
        throw new Refusal(412, 'PRECONDITION', 'the project contains repositories')
      }
      this.remove(project.name)
      return { status: 200 }
    }
    if (method === 'PUT') {
      project.isPublic = publicIn(jsonOf(question).metadata) ?? project.isPublic
      return { status: 200 }
    }
    return { status: 200, body: shown(project) }
  }

  #named({ isByName }: Question, named: string): Project | undefined {
    return isByName || !/^\d+$/.test(named)
      ? this.all.get(named)
      : [...this.all.values()].find(({ id }) => id === Number(named))
  }
}

/** Strangers see what is public; a caller that is not admin is not told what there is besides. */
function requireAccess({ method, caller }: Question, project: Project | undefined): void {
  const isRead = method === 'GET' || method === 'HEAD'
  if (caller.kind === 'admin' || (isRead && project?.isPublic)) {
    return
  }
  if (caller.kind === 'nobody') {
    throw unauthorized()
  }
  const isOwn = project !== undefined && isOf(caller, project)
  if (!isOwn || (caller.kind === 'robot' && !isRead)) {
    throw forbidden()
  }
}

function isOf(caller: Caller, { name, owner }: Project): boolean {
  switch (caller.kind) {
    case 'admin':
      return true
    case 'user':
      return caller.name === owner
    case 'robot':
      return caller.robot.permissions.some(({ namespace }) => namespace === name)
    default:
      return false
  }
}

function publicIn(metadata: { public?: unknown } | undefined): boolean | undefined {
  const isPublic = metadata?.public
  if (isPublic !== undefined && isPublic !== 'true' && isPublic !== 'false') {
    throw badRequest("metadata.public should only be 'true' or 'false'")
  }
  return isPublic === undefined ? undefined : isPublic === 'true'
}

function answerRepositories(question: Question, { name, repositories }: Project): Reply {
  const { method, path } = question
  const [, , , named, ...rest] = path
  if (named === undefined) {
    const found = [...repositories].filter((each) => isSought(question, `${name}/${each}`))
    return pageOf(
      question,
      found.reverse().map((each) => ({ name: `${name}/${each}` }))
    )
  }
  // Whether slashes in it are encoded once or twice.
  const repository = decodeURIComponent(named)
  if (rest.length > 0 || !repositories.has(repository)) {
    throw missing(`repository ${name}/${repository}`)
  }
  if (method === 'DELETE') {
    repositories.delete(repository)
    return { status: 200 }
  }
  return { status: 200, body: { name: `${name}/${repository}` } }
}

const shown = ({ id, name, isPublic, owner, repositories }: Project) => ({
  project_id: id,
  name,
  metadata: { public: String(isPublic) },
  owner_name: owner,
  repo_count: repositories.size,
})
