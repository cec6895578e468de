import { once } from 'node:events'
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

const CHECK_EVERY_MS = 200
const NO_LIMITS = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }
const HOP_BY_HOP = ['connection', 'keep-alive']

/** A process behind the port, by its base address and that of its health checks. */
export interface Target {
  readonly origin: string
  readonly admin: string
}

interface Member extends Target {
  readonly agent: Agent
  isReady: boolean
}

/**
 * A balancer as operators have one: it asks each process whether it is ready, gives requests to those that are in turn, and another
 * process a request whose connection was refused, of which nothing was sent. It repeats no other request.
 */
export class HealthBalancer {
  /** Requests that clients got an answer to. */
  answered = 0
  /** Answers from 500 on, and requests that were cut off or had no process, as text. */
  readonly failures: string[] = []
  #members: Member[] = []
  #turn = 0
  readonly #server = createServer(NO_LIMITS)

  static async open(): Promise<HealthBalancer> {
    const balancer = new HealthBalancer()
    balancer.#server.listen(0, '127.0.0.1')
    await once(balancer.#server, 'listening')
    return balancer
  }

  private constructor() {
    this.#server.on('request', (request, response) => {
      this.#forward(request, response, this.#rotation())
    })
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#tunnel(request, socket, head, this.#rotation())
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  add({ origin, admin }: Target): void {
    // On a busy machine, a kept connection may be closed by its process just as a request is sent over it.
    const member = { origin, admin, agent: new Agent({ keepAlive: false }), isReady: true }
    this.#members.push(member)
    void this.#watch(member)
  }

  /** Requests under way go on. */
  remove({ origin }: Target): void {
    this.#members = this.#members.filter((member) => member.origin !== origin)
  }

  close(): void {
    this.#members.splice(0).forEach(({ agent }) => agent.destroy())
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #watch(member: Member): Promise<void> {
    while (this.#members.includes(member)) {
      const isReady = await fetch(`${member.admin}/health/ready`).then(
        ({ status, body }) => body?.cancel().then(() => status === 200),
        () => false
      )
      member.isReady = isReady ?? false
      await delay(CHECK_EVERY_MS)
    }
  }

  /** Whom to try for the next request, one after the other: those last that are slow to say that they are ready, or stop. */
  #rotation(): Member[] {
    const ready = this.#members.filter(({ isReady }) => isReady)
    const others = this.#members.filter(({ isReady }) => !isReady)
    const at = this.#turn++ % Math.max(ready.length, 1)
    return [...ready.slice(at), ...ready.slice(0, at), ...others]
  }

  #forward(request: IncomingMessage, response: ServerResponse, members: readonly Member[]): void {
    const [member, ...others] = members
    if (!member) {
      this.#fail(request, response, 'no process is ready')
      return
    }
    const { method, url: path } = request
    const headers = endToEnd(request.headers)
    const target = { hostname: '127.0.0.1', port: new URL(member.origin).port }
    const sent = httpRequest({ ...target, agent: member.agent, method, path, headers })
    let isConnected = false
    sent.once('socket', (socket) => {
      const start = () => {
        isConnected = true
        request.pipe(sent)
      }
      if (socket.connecting) {
        socket.once('connect', start)
      } else {
        start()
      }
    })
    sent.on('error', (error) => {
      if (isConnected) {
        this.#fail(request, response, error.message)
      } else {
        member.isReady = false
        this.#forward(request, response, others)
      }
    })
    sent.once('response', (answer) => void this.#answer(request, response, answer))
    response.once('close', () => sent.destroy())
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    answer: IncomingMessage
  ): Promise<void> {
    const { statusCode: status = 0, headers } = answer
    this.answered++
    response.writeHead(status, endToEnd(headers))
    response.flushHeaders()
    answer.once('error', (error) => this.#fail(request, response, error.message))
    answer.pipe(response)
    if (status >= 500) {
      const body = await buffer(answer).catch(String)
      this.failures.push(`${nameOf(request)}: ${status} ${body}`)
    }
  }

  #fail(request: IncomingMessage, response: ServerResponse, reason: string): void {
    if (!response.closed && !response.destroyed) {
      this.failures.push(`${nameOf(request)}: ${reason}`)
    }
    if (response.headersSent) {
      response.destroy()
    } else {
      response.writeHead(502, { 'content-type': 'application/json' }).end('{}')
    }
  }

  #tunnel(
    request: IncomingMessage,
    client: Duplex,
    head: Buffer,
    members: readonly Member[]
  ): void {
    const [member, ...others] = members
    if (!member) {
      this.failures.push(`${nameOf(request)}: no process is ready`)
      client.destroy()
      return
    }
    const behind = connect(Number(new URL(member.origin).port), '127.0.0.1')
    behind.once('connect', () => {
      behind.write(headOf(request))
      behind.write(head)
      client.pipe(behind).pipe(client)
    })
    client.on('error', () => behind.destroy())
    client.once('close', () => behind.destroy())
    behind.on('error', () => {
      if (behind.connecting || behind.bytesWritten === 0) {
        this.#tunnel(request, client, head, others)
      }
    })
    behind.once('close', () => behind.bytesWritten > 0 && client.destroy())
  }
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)))
}

function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.map((text, n) => (n % 2 === 0 ? `${text}: ` : `${text}\r\n`))
  return `${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`
}

const nameOf = ({ method, url }: IncomingMessage) => `${method} ${url?.split('?')[0]}`
