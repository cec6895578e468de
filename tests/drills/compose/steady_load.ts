import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

import { setting } from '#tests/chaos/setting'
import { EventListener } from '#tests/drills/event_listener'
import { SocketListener } from '#tests/drills/socket_listener'
import { eventually } from '#tests/helpers/eventually'

const PER_SECOND = setting('RATE', 200)
/** A machine that is too busy for the rate gets so many at once, and not more and more. */
const CONNECTIONS = 64
const TICK_MS = 20
/** One of so many requests writes. */
const WRITES = 20
const LIMIT_MS = 60_000

/** A request without the answer that it should get. */
export interface FailedRequest {
  readonly beganAt: number
  readonly endedAt: number
  readonly reason: string
}

/** How the requests of one kind went. */
class Requests {
  answered = 0
  readonly failed: FailedRequest[] = []
}

interface Client {
  readonly origin: string
  readonly token: string
}

/** `RATE` requests per second, as far as the machine can answer them, and beside them a stream and a socket that reconnect. */
export class SteadyLoad {
  readonly reads = new Requests()
  readonly writes = new Requests()
  /** Ids of the nodes whose creation was acknowledged. */
  readonly created: string[] = []
  readonly events: EventListener
  readonly socket: SocketListener
  slowestMs = 0
  /** How many were sent in a second, once it has ended. */
  perSecond = 0
  readonly #client: Client
  readonly #stopping = new AbortController()
  readonly #listening = new AbortController()
  readonly #connections = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  readonly #waiting = new Set<Promise<void>>()
  readonly #startedAt = performance.now()
  readonly #sending: Promise<void>
  #sent = 0

  static async start(client: Client): Promise<SteadyLoad> {
    const load = new SteadyLoad(client)
    await eventually(() => load.events.reconnects === 0, LIMIT_MS)
    await load.socket.isSubscribed()
    return load
  }

  private constructor(client: Client) {
    const { origin, token } = client
    this.#client = client
    this.events = new EventListener(origin, token, this.#listening.signal)
    this.socket = new SocketListener(origin, token)
    void this.events.run()
    this.#sending = this.#send()
  }

  /** Resolves when every request is answered. The listeners go on. */
  async endSending(): Promise<void> {
    this.#stopping.abort()
    await this.#sending
    await Promise.all(this.#waiting)
  }

  stop(): void {
    this.#stopping.abort()
    this.#listening.abort()
    this.socket.close()
    this.#connections.destroy()
  }

  /** Creates a node. Resolves to its id. */
  async create(): Promise<string | undefined> {
    const name = `drill-${Date.now()}-${this.#sent}`
    const body = await this.#request(this.writes, 'POST', '/core/nodes', { name })
    const id = body && (JSON.parse(body) as { data: { id: string } }).data.id
    return id && (this.created.push(id), id)
  }

  async #send(): Promise<void> {
    let due = 0
    while (!this.#stopping.signal.aborted) {
      const room = CONNECTIONS - this.#waiting.size
      const passed = performance.now() - this.#startedAt
      const next = Math.floor((passed * PER_SECOND) / 1_000)
      const count = Math.min(next - due, room)
      due = next
      for (let n = 0; n < count; n++) {
        this.#sendOne()
      }
      await delay(TICK_MS)
    }
    this.perSecond = Math.round(this.#sent / ((performance.now() - this.#startedAt) / 1_000))
  }

  #sendOne(): void {
    const request = this.#sent++ % WRITES === 0 ? this.create() : this.#read()
    const answered = request.then(() => void this.#waiting.delete(answered))
    this.#waiting.add(answered)
  }

  #read(): Promise<unknown> {
    return this.#request(this.reads, 'GET', '/core/projects?page[limit]=10')
  }

  /** Resolves to the body of a successful answer. */
  async #request(
    requests: Requests,
    method: string,
    path: string,
    body?: object
  ): Promise<string | undefined> {
    const { origin, token } = this.#client
    const beganAt = performance.now()
    try {
      const sent = httpsRequest(origin + path, {
        method,
        agent: this.#connections,
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(LIMIT_MS),
      })
      // Of a request whose answer has begun, the answer fails.
      sent.on('error', () => {})
      sent.end(body && JSON.stringify(body))
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      const text = await readText(response)
      if (response.statusCode! >= 300) {
        throw new Error(`${response.statusCode} ${text}`)
      }
      requests.answered++
      this.slowestMs = Math.max(this.slowestMs, performance.now() - beganAt)
      return text
    } catch (error) {
      const reason = `${method} ${path}: ${(error as Error).message}`
      requests.failed.push({ beganAt, endedAt: performance.now(), reason })
      return undefined
    }
  }
}
