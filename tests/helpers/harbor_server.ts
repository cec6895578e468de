import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const ACCOUNT = { accountName: 'admin', accountSecret: 'Harbor12345' }

interface Project {
  readonly id: number
  isPublic: boolean
  readonly repositories: Set<string>
  readonly policies: Map<number, any>
}

interface Robot {
  readonly id: number
  readonly name: string
  secret: string
  readonly permissions: any
}

/** How the server behaves instead of answering: for all requests, or for those whose method and path match. */
export interface Fault {
  readonly to?: RegExp
  readonly times?: number
  readonly does: 'hangs up' | 'says nothing' | 'shows a page' | 'redirects' | number
}

interface Request {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: any
}

/** Thrown where Harbor refuses. */
class Refusal extends Error {
  constructor(readonly status: number) {
    super(String(status))
  }
}

/**
 * A server that behaves as Harbor's REST API v2 does, as far as the platform uses it, or as badly as a test wants.
 */
export class HarborServer {
  readonly projects = new Map<string, Project>()
  readonly robots = new Map<number, Robot>()
  readonly requests: string[] = []
  #fault: Fault | undefined
  #faults = 0
  #ids = 0
  readonly #server = createServer((request, response) => void this.#take(request, response))

  static async start(): Promise<HarborServer> {
    const harbor = new HarborServer()
    harbor.#server.listen(0, '127.0.0.1')
    await once(harbor.#server, 'listening')
    return harbor
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get access() {
    return { host: this.host, ...ACCOUNT }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  misbehave(fault: Fault): void {
    this.#fault = fault
    this.#faults = fault.times ?? Number.POSITIVE_INFINITY
  }

  behave(): void {
    this.#faults = 0
  }

  /** Something in it that the platform did not make. */
  addProject(name: string, isPublic = false): Project {
    const project = {
      id: ++this.#ids,
      isPublic,
      repositories: new Set<string>(),
      policies: new Map(),
    }
    this.projects.set(name, project)
    return project
  }

  /** Ids up to this one are in use. */
  skipIds(upTo: number): void {
    this.#ids = Math.max(this.#ids, upTo)
  }

  robotOf(name: string): Robot | undefined {
    return [...this.robots.values()].find((robot) => robot.name === `robot$${name}`)
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://harbor')
    const path = url.pathname.replace(/^\/api\/v2\.0\//, '')
    const method = request.method!
    this.requests.push(`${method} ${path}`)
    const chunks: Buffer[] = []
    for await (const chunk of request) {
      chunks.push(chunk)
    }
    if (this.#isAtFault(`${method} ${path}`)) {
      return this.#fail(this.#fault!, request, response)
    }
    try {
      requireAccount(request)
      const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
      this.#answer({ method, path, query: url.searchParams, body }, response)
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500
      send(response, status, { errors: [{ code: 'NO', message: 'no' }] })
    }
  }

  #isAtFault(asked: string): boolean {
    return this.#faults > 0 && (this.#fault!.to?.test(asked) ?? true) && this.#faults-- > 0
  }

  #fail({ does }: Fault, request: IncomingMessage, response: ServerResponse): void {
    switch (does) {
      case 'hangs up':
        request.socket.destroy()
        break
      case 'says nothing':
        break
      case 'shows a page':
        response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>')
        break
      case 'redirects':
        response.writeHead(302, { location: `http://${this.host}/elsewhere` }).end()
        break
      default:
        send(response, does, { errors: [{ code: 'FAULT', message: 'secret-of-the-server' }] })
    }
  }

  #answer(request: Request, response: ServerResponse): void {
    const [first, ...rest] = request.path.split('/').map(decodeURIComponent)
    if (first === 'projects') {
      return this.#answerProject(request, rest, response)
    }
    if (first === 'robots') {
      return this.#answerRobot(request, rest, response)
    }
    throw new Refusal(404)
  }

  #answerProject(request: Request, [name, kind, ...rest]: string[], response: ServerResponse) {
    const { method, body, query } = request
    if (name === undefined) {
      return method === 'GET' ? send(response, 200, []) : this.#addProject(body, response)
    }
    const project = this.projects.get(name)
    if (!project) {
      throw new Refusal(404)
    }
    if (kind === 'repositories') {
      return this.#answerRepository(method, project, { name, rest, query }, response)
    }
    if (kind === 'webhook') {
      return this.#answerPolicy(request, project, { name, id: rest[1] }, response)
    }
    if (method === 'DELETE') {
      if (project.repositories.size > 0) {
        throw new Refusal(412)
      }
      this.projects.delete(name)
    } else if (method === 'PUT') {
      project.isPublic = body.metadata.public === 'true'
    }
    const shown = { project_id: project.id, name, metadata: { public: String(project.isPublic) } }
    send(response, 200, method === 'GET' ? shown : undefined)
  }

  #addProject({ project_name: name, public: isPublic }: any, response: ServerResponse): void {
    if (this.projects.has(name)) {
      throw new Refusal(409)
    }
    const { id } = this.addProject(name, isPublic)
    send(response, 201, undefined, `/api/v2.0/projects/${id}`)
  }

  #answerRepository(
    method: string,
    { repositories }: Project,
    { name, rest, query }: { name: string; rest: string[]; query: URLSearchParams },
    response: ServerResponse
  ): void {
    if (method === 'GET') {
      const page = [...repositories].slice(0, Number(query.get('page_size')))
      return send(
        response,
        200,
        page.map((repository) => ({ name: `${name}/${repository}` }))
      )
    }
    if (rest.length !== 1 || !repositories.delete(decodeURIComponent(rest[0]!))) {
      throw new Refusal(404)
    }
    send(response, 200)
  }

  #answerPolicy(
    { method, body }: Request,
    { policies }: Project,
    { name, id }: { name: string; id: string | undefined },
    response: ServerResponse
  ): void {
    if (method === 'GET') {
      return send(
        response,
        200,
        [...policies].map(([key, policy]) => ({ id: key, name: policy.name }))
      )
    }
    if (method === 'POST') {
      if ([...policies.values()].some((policy) => policy.name === body.name)) {
        throw new Refusal(409)
      }
      policies.set(++this.#ids, body)
      const location = `/api/v2.0/projects/${name}/webhook/policies/${this.#ids}`
      return send(response, 201, undefined, location)
    }
    if (!policies.has(Number(id))) {
      throw new Refusal(404)
    }
    if (method === 'DELETE') {
      policies.delete(Number(id))
    } else {
      policies.set(Number(id), body)
    }
    send(response, 200)
  }

  #answerRobot({ method, body, query }: Request, [id]: string[], response: ServerResponse): void {
    if (id === undefined) {
      return method === 'GET' ? this.#findRobot(query, response) : this.#addRobot(body, response)
    }
    const robot = this.robots.get(Number(id))
    if (!robot) {
      throw new Refusal(404)
    }
    if (method === 'DELETE') {
      this.robots.delete(robot.id)
      return send(response, 200)
    }
    const isChosen = typeof body.secret === 'string' && body.secret !== ''
    robot.secret = isChosen ? body.secret : `Generated${++this.#ids}`
    send(response, 200, isChosen ? {} : { secret: robot.secret })
  }

  #findRobot(query: URLSearchParams, response: ServerResponse): void {
    const robot = this.robotOf(query.get('q')!.replace('name=', ''))
    send(response, 200, robot ? [{ id: robot.id, name: robot.name }] : [])
  }

  #addRobot({ name, permissions }: any, response: ServerResponse): void {
    if (this.robotOf(name)) {
      throw new Refusal(409)
    }
    const id = ++this.#ids
    const robot = { id, name: `robot$${name}`, secret: `Generated${id}`, permissions }
    this.robots.set(id, robot)
    send(response, 201, { id, name: robot.name, secret: robot.secret })
  }
}

function requireAccount({ headers }: IncomingMessage): void {
  const { accountName, accountSecret } = ACCOUNT
  const expected = Buffer.from(`${accountName}:${accountSecret}`).toString('base64')
  if (headers.authorization !== `Basic ${expected}`) {
    throw new Refusal(401)
  }
}

function send(response: ServerResponse, status: number, body?: unknown, location?: string): void {
  response.writeHead(status, {
    ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    ...(location && { location }),
  })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
