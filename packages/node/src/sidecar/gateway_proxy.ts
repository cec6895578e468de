import { once } from 'node:events'
import {
  Agent,
  createServer,
  request as send,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

import { answerJson } from '#node/gateway/answer'
import { TaskLimit } from '#node/gateway/task_limit'
import { Exchanges, type Exchange } from './exchanges.js'
import { passedHeaders } from './passed_headers.js'
import { RequestPace } from './request_pace.js'

export interface GatewayLimits {
  /** The maximum number of open connections. Further ones are closed at once. */
  readonly connections: number
  /** The maximum number of concurrent requests. */
  readonly handled: number
  /** The maximum number of waiting requests. Further ones get 503. */
  readonly waiting: number
  /** Requests per second that are forwarded to the node. Further ones wait for their turn. */
  readonly perSecond: number
  /** The maximum time without progress in an announced body or a response. */
  readonly silenceMs: number
}

/** The limits of one analysis at its gateway. */
export const GATEWAY_LIMITS: GatewayLimits = {
  connections: 128,
  handled: 16,
  waiting: 48,
  perSecond: 200,
  silenceMs: 30_000,
}

const MAX_HEADER_BYTES = 16 * 1024
const MAX_LOGGED_PATH = 500

export interface RefusalLog {
  add(sentence: string): void
}

/** The port at which an analysis reaches its gateway. Forwards complete requests, a limited number at once. */
export class GatewayProxy {
  readonly #refusals: RefusalLog
  readonly #silenceMs: number
  readonly #server: Server
  readonly #requests: TaskLimit
  readonly #pace: RequestPace
  readonly #exchanges: Exchanges
  readonly #gateway: { readonly socketPath: string; readonly agent: Agent }

  /** `socket` is that of the gateway. */
  static async listen(
    port: number,
    socket: string,
    refusals: RefusalLog,
    limits = GATEWAY_LIMITS
  ): Promise<GatewayProxy> {
    const proxy = new GatewayProxy(socket, refusals, limits)
    proxy.#server.listen(port, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  private constructor(
    socketPath: string,
    refusals: RefusalLog,
    { connections, handled, waiting, perSecond, silenceMs }: GatewayLimits
  ) {
    this.#refusals = refusals
    this.#silenceMs = silenceMs
    this.#gateway = { socketPath, agent: new Agent({ keepAlive: true, maxSockets: handled }) }
    this.#requests = new TaskLimit(handled, waiting)
    this.#pace = new RequestPace(perSecond)
    this.#exchanges = new Exchanges(silenceMs, (exchange) => this.#endSilent(exchange))
    const options = {
      requestTimeout: 0,
      headersTimeout: silenceMs,
      connectionsCheckingInterval: silenceMs / 4,
      maxHeaderSize: MAX_HEADER_BYTES,
    }
    this.#server = createServer(options, (request, response) => {
      if (this.#exchanges.start({ request, response })) {
        void this.#answer({ request, response })
      }
    })
    this.#server.maxConnections = connections
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends all connections. */
  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
    this.#exchanges.close()
    this.#gateway.agent.destroy()
  }

  async #answer(exchange: Exchange): Promise<void> {
    if (this.#requests.isFull) {
      this.#refuse(exchange, 503, 'Too many requests of the analysis wait: repeat it later')
      return
    }
    await this.#requests.run(async () => {
      await this.#pace.turn()
      if (!hasEnded(exchange.response)) {
        await this.#pass(exchange)
      }
    })
  }

  /** Returns when the response was sent, or the analysis has disconnected. */
  async #pass(exchange: Exchange): Promise<void> {
    const { request, response } = exchange
    const { method, url: path, headers } = request
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    request.on('error', () => {})
    try {
      let isAnswered = false
      const options = { ...this.#gateway, method, path, headers: passedHeaders(headers) }
      const passed = send(options, (answer) => {
        isAnswered = true
        request.unpipe(passed)
        this.#discardRest(exchange)
        passAnswer(answer, response)
      })
      passed.on(
        'error',
        () => isAnswered || this.#refuse(exchange, 502, 'The node failed to answer')
      )
      response.once('close', () => passed.destroy())
      request.pipe(passed)
    } catch {
      this.#refuse(exchange, 400, 'The request has an address or a header that HTTP does not allow')
    }
    await closed
  }

  #endSilent(exchange: Exchange): void {
    const { request, response } = exchange
    if (response.headersSent) {
      response.destroy()
    } else {
      response.setHeader('connection', 'close')
      // The handler waits for the rest of the body.
      response.once('close', () => request.destroy())
      const seconds = this.#silenceMs / 1000
      this.#refuse(exchange, 408, `Nothing of the request moved for ${seconds} seconds`)
    }
  }

  #refuse(exchange: Exchange, status: number, reason: string): void {
    const { request, response } = exchange
    if (hasEnded(response)) {
      return
    }
    const { method = '', url = '' } = request
    const path = url.split('?', 1)[0]!.slice(0, MAX_LOGGED_PATH)
    this.#refusals.add(`${method} ${path} was answered with ${status}: ${reason}`)
    if (status === 503) {
      response.setHeader('retry-after', '1')
    }
    this.#discardRest(exchange)
    answerJson(response, status, { detail: reason })
  }

  /**
   * Reads and discards the rest of a request body. A client that sends all of its body before it reads loses the response
   * if the connection is closed first, so the connection stays open, also after `Connection: close`.
   */
  #discardRest({ request, response }: Exchange): void {
    request.resume()
    if (!request.complete) {
      response.shouldKeepAlive = true
      const timer = setTimeout(() => request.destroy(), this.#silenceMs)
      request.once('close', () => clearTimeout(timer))
    }
  }
}

/** The response was sent, or the analysis has disconnected. */
const hasEnded = (response: ServerResponse): boolean => response.writableEnded || response.destroyed

function passAnswer(answer: IncomingMessage, response: ServerResponse): void {
  const headers = passedHeaders(answer.headers)
  delete headers['transfer-encoding']
  response.writeHead(answer.statusCode!, headers)
  pipeline(answer, response, () => {})
}
