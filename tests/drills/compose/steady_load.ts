import { setTimeout as delay } from 'node:timers/promises'

import { setting } from '#tests/chaos/setting'
import { EventListener } from '#tests/drills/event_listener'
import { SocketListener } from '#tests/drills/socket_listener'
import { eventually } from '#tests/helpers/eventually'

/** Of a machine that is too busy for 200, fewer can be asked. */
const PER_SECOND = setting('RATE', 200)
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

/** `RATE` requests per second, however fast the answers are, and beside them a stream and a socket that reconnect. */
export class SteadyLoad {
  readonly reads = new Requests()
  readonly writes = new Requests()
  /** Ids of the nodes whose creation was acknowledged. */
  readonly created: string[] = []
  readonly events: EventListener
  readonly socket: SocketListener
  slowestMs = 0
  readonly #client: Client
  readonly #stopping = new AbortController()
  readonly #listening = new AbortController()
  readonly #waiting = new Set<Promise<void>>()
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
  }

  /** Creates a node. Resolves to its id. */
  async create(): Promise<string | undefined> {
    const name = `drill-${Date.now()}-${this.#sent}`
    const body = await this.#request(this.writes, 'POST', '/core/nodes', { name })
    const id = body && (JSON.parse(body) as { data: { id: string } }).data.id
    return id && (this.created.push(id), id)
  }

  async #send(): Promise<void> {
    const startedAt = performance.now()
    while (!this.#stopping.signal.aborted) {
      const due = ((performance.now() - startedAt) * PER_SECOND) / 1_000
      for (; this.#sent < due; this.#sent++) {
        const request = this.#sent % WRITES === 0 ? this.create() : this.#read()
        const answered = request.then(() => void this.#waiting.delete(answered))
        this.#waiting.add(answered)
      }
      await delay(TICK_MS)
    }
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
      const response = await fetch(origin + path, {
        method,
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(LIMIT_MS),
      })
      const text = await response.text()
      if (!response.ok) {
        throw new Error(`${response.status} ${text}`)
      }
      requests.answered++
      this.slowestMs = Math.max(this.slowestMs, performance.now() - beganAt)
      return text
    } catch (error) {
      const { message, cause } = error as Error
      const reason = `${method} ${path}: ${message} ${cause ?? ''}`
      requests.failed.push({ beganAt, endedAt: performance.now(), reason })
      return undefined
    }
  }
}
