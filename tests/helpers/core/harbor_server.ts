import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import {
  forbidden,
  jsonOf,
  missing,
  Refusal,
  send,
  unauthorized,
  type Caller,
  type Question,
  type Reply,
} from '#tests/helpers/core/harbor/exchange'
import { Projects, type Project } from '#tests/helpers/core/harbor/projects'
import { Robots, type Robot } from '#tests/helpers/core/harbor/robots'

export const ACCOUNT = { accountName: 'admin', accountSecret: 'Harbor12345' }

/** How the server fails. */
type FaultKind = 'hangs up' | 'says nothing' | 'shows a page' | 'redirects' | number

/** A fault for all requests, or for those whose method and path match. */
export interface Fault {
  readonly to?: RegExp
  readonly times?: number
  readonly does: FaultKind | 'takes its time'
}

const READS = ['GET', 'HEAD']

/**
 * A fake of Harbor's REST API v2, as far as the platform uses it, which can inject faults. A test compares its responses with
 * recorded ones of a real Harbor.
 */
export class HarborServer {
  readonly robotStore: Robots = new Robots((name) => this.projectStore.all.has(name))
  readonly projectStore = new Projects((name) => this.robotStore.forgetProject(name))
  readonly projects: Map<string, Project> = this.projectStore.all
  readonly robots: Map<number, Robot> = this.robotStore.all
  readonly requests: string[] = []
  /** Users besides admin, by name. */
  readonly passwords = new Map<string, string>()
  isReadOnly = false
  #fault: Fault | undefined
  #faults = 0
  /** Continues requests that are delayed or hang. */
  readonly #pending: (() => void)[] = []
  readonly #server = createServer((request, response) => void this.#handle(request, response))

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

  injectFault(fault: Fault): void {
    this.#fault = fault
    this.#faults = fault.times ?? Number.POSITIVE_INFINITY
  }

  /** Responds to delayed requests, and closes the connections of those that hang. */
  clearFault(): void {
    this.#faults = 0
    this.#pending.splice(0).forEach((resume) => resume())
  }

  /** Whether a request is delayed or hangs. */
  get hasPendingRequests(): boolean {
    return this.#pending.length > 0
  }

  /** Adds a project that the platform did not create. */
  addProject(name: string, isPublic = false): Project {
    return this.projectStore.add(name, isPublic)
  }

  robotOf(name: string): Robot | undefined {
    return this.robotStore.find(name)
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://harbor')
    const path = url.pathname.replace(/^\/api\/v2\.0\//, '')
    const method = request.method!
    this.requests.push(`${method} ${path}`)
    const chunks: Buffer[] = []
    for await (const chunk of request) {
      chunks.push(chunk)
    }
    if (this.#takeFault(`${method} ${path}`)) {
      const { does } = this.#fault!
      if (does !== 'takes its time') {
        return this.#fail(does, request, response)
      }
      await new Promise<void>((resume) => this.#pending.push(resume))
    }
    try {
      const question = {
        method,
        path: path.split('/').map(decodeURIComponent),
        pathname: url.pathname,
        query: url.searchParams,
        text: Buffer.concat(chunks).toString(),
        isByName: request.headers['x-is-resource-name'] === 'true',
        caller: this.#callerOf(request),
      }
      this.#requireWritable(question, request)
      send(response, this.#respond(question))
    } catch (error) {
      const { status, code, message } =
        error instanceof Refusal ? error : new Refusal(500, 'UNKNOWN', String(error))
      send(response, { status, body: { errors: [{ code, message }] } })
    }
  }

  #takeFault(operation: string): boolean {
    return this.#faults > 0 && (this.#fault!.to?.test(operation) ?? true) && this.#faults-- > 0
  }

  #fail(does: FaultKind, request: IncomingMessage, response: ServerResponse): void {
    switch (does) {
      case 'hangs up':
        request.socket.destroy()
        break
      case 'says nothing':
        this.#pending.push(() => request.socket.destroy())
        break
      case 'shows a page':
        response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>')
        break
      case 'redirects':
        response.writeHead(302, { location: `http://${this.host}/elsewhere` }).end()
        break
      default:
        send(response, {
          status: does,
          body: { errors: [{ code: 'FAULT', message: 'secret-of-the-server' }] },
        })
    }
  }

  #respond(question: Question): Reply {
    switch (question.path[0]) {
      case 'projects':
        return this.projectStore.answer(question)
      case 'robots':
        return this.robotStore.answer(question, (name) => this.projects.get(name)?.id)
      case 'users':
        return this.#createUser(question)
      case 'systeminfo':
        return { status: 200, body: { auth_mode: 'db_auth', self_registration: false } }
      case 'configurations':
        return this.#configure(question)
      default:
        throw missing(question.pathname)
    }
  }

  #createUser(question: Question): Reply {
    if (question.caller.kind === 'nobody') {
      throw unauthorized()
    }
    const { username, password } = jsonOf(question)
    this.passwords.set(username, password)
    return { status: 201, location: `/api/v2.0/users/${this.passwords.size + 2}` }
  }

  #configure(question: Question): Reply {
    if (question.caller.kind !== 'admin') {
      throw forbidden()
    }
    const wanted = jsonOf(question)
    this.robotStore.prefix = wanted.robot_name_prefix ?? this.robotStore.prefix
    if (wanted.project_creation_restriction) {
      this.projectStore.isAdminOnly = wanted.project_creation_restriction === 'adminonly'
    }
    return { status: 200 }
  }

  #requireWritable({ method, caller }: Question, { headers }: IncomingMessage): void {
    if (READS.includes(method)) {
      return
    }
    if (headers.cookie?.includes('sid=')) {
      throw forbidden('CSRF token not found in request')
    }
    if (this.isReadOnly && caller.kind !== 'nobody') {
      throw new Refusal(403, 'DENIED', 'The system is in read only mode')
    }
  }

  #callerOf({ headers }: IncomingMessage): Caller {
    const encoded = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    const [, name = '', password = ''] =
      /^([^:]*):([^]*)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? []
    if (name === ACCOUNT.accountName && password === ACCOUNT.accountSecret) {
      return { kind: 'admin', name }
    }
    if (password !== '' && this.passwords.get(name) === password) {
      return { kind: 'user', name }
    }
    const robot = [...this.robots.values()].find((each) => each.name === name)
    return robot && !robot.disable && robot.secret === password
      ? { kind: 'robot', name, robot }
      : { kind: 'nobody' }
  }
}
