import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

import { HubRefusal, HubUnavailable, QueueFull, SealBroken } from '#node/errors'
import { answerJson } from './answer.js'
import { GatewayError } from './errors.js'
import { Exchanges, type Exchange } from './exchanges.js'
import type { GatewayToken, Router } from './router.js'
import { TaskLimit } from './task_limit.js'

export interface GatewayLimits {
  /** Connections that are open. Further ones are closed at once. */
  readonly connections: number
  /** Requests that are handled at once. */
  readonly handled: number
  /** Requests that wait beside those. Further ones are answered with 503. */
  readonly waiting: number
  /** How long the analysis may send nothing of what it announced, or read nothing of its answer. */
  readonly silenceMs: number
}

/** What one analysis may take of its node. */
export const GATEWAY_LIMITS: GatewayLimits = {
  connections: 128,
  handled: 16,
  waiting: 48,
  silenceMs: 30_000,
}

const MAX_HEADER_BYTES = 16 * 1024
const MAX_LOGGED_PATH = 500

export interface GatewayTokens {
  /** Whether a request shows the token of this analysis. */
  accepts(kind: Exclude<GatewayToken, 'none'>, shown: string): boolean
}

export interface GatewayLog {
  /** A request that was refused. It never contains tokens or bodies. */
  refused(method: string, path: string, status: number, reason: string): void
}

/** The HTTP server that one analysis reaches: a socket of its own, with nothing but what its router lists. */
export class Gateway {
  readonly #router: Router
  readonly #tokens: GatewayTokens
  readonly #log: GatewayLog
  readonly #server: Server
  readonly #requests: TaskLimit
  readonly #exchanges: Exchanges

  private constructor(
    router: Router,
    tokens: GatewayTokens,
    log: GatewayLog,
    { handled, waiting, silenceMs, connections }: GatewayLimits
  ) {
    this.#router = router
    this.#tokens = tokens
    this.#log = log
    this.#requests = new TaskLimit(handled, waiting)
    this.#exchanges = new Exchanges(silenceMs, (exchange) => this.#endSilent(exchange, silenceMs))
    const options = {
      requestTimeout: 0,
      headersTimeout: silenceMs,
      connectionsCheckingInterval: silenceMs / 4,
      maxHeaderSize: MAX_HEADER_BYTES,
    }
    this.#server = createServer(options, (request, response) => {
      if (this.#exchanges.begin({ request, response })) {
        void this.#answer(request, response)
      }
    })
    this.#server.maxConnections = connections
  }

  /** Listens on a Unix socket, which any user inside of the container may connect to. */
  static async listen(
    socket: string,
    router: Router,
    tokens: GatewayTokens,
    log: GatewayLog,
    limits = GATEWAY_LIMITS
  ): Promise<Gateway> {
    const gateway = new Gateway(router, tokens, log, limits)
    gateway.#server.listen(socket)
    await once(gateway.#server, 'listening')
    await chmod(socket, 0o666)
    return gateway
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    this.#exchanges.close()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request
    const { pathname, searchParams } = addressOf(request)
    try {
      const route = this.#router.find(method, pathname)
      if (!route) {
        throw new GatewayError(404, 'The node has no such route')
      }
      this.#authorize(request, route.token)
      if (this.#requests.isFull) {
        throw new GatewayError(503, 'Too many requests of the analysis wait: repeat it later')
      }
      const { params, handler } = route
      await this.#requests.run(async () => {
        if (!hasEnded(response)) {
          await handler({ request, response, params, query: searchParams })
        }
      })
    } catch (error) {
      this.#refuse(request, response, error)
    }
  }

  #authorize({ headers }: IncomingMessage, token: GatewayToken): void {
    if (token === 'none') {
      return
    }
    const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
    const shown = token === 'data' ? String(headers.apikey ?? bearer) : bearer
    if (!this.#tokens.accepts(token, shown)) {
      throw new GatewayError(401, 'The token is not the one of this analysis')
    }
  }

  #endSilent({ request, response }: Exchange, silenceMs: number): void {
    if (response.headersSent) {
      response.destroy()
    } else {
      const reason = `Nothing of the request moved for ${silenceMs / 1000} seconds`
      // Whoever handles it waits for the rest of its body.
      response.once('close', () => request.destroy())
      this.#refuse(request, response, new GatewayError(408, reason))
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (hasEnded(response)) {
      return
    }
    const [status, reason] = statusOf(error)
    const path = addressOf(request).pathname.slice(0, MAX_LOGGED_PATH)
    this.#log.refused(request.method ?? '', path, status, reason)
    if (response.headersSent) {
      response.destroy()
      return
    }
    response.setHeader('connection', 'close')
    if (status === 503) {
      response.setHeader('retry-after', '1')
    }
    answerJson(response, status, { detail: reason })
    request.resume()
  }
}

/** It was answered, or the analysis has gone. */
const hasEnded = (response: ServerResponse): boolean => response.writableEnded || response.destroyed

const addressOf = ({ url = '' }: IncomingMessage): URL =>
  URL.parse(url, 'http://gateway') ?? new URL('http://gateway')

function statusOf(error: unknown): [status: number, reason: string] {
  if (error instanceof GatewayError) {
    return [error.status, error.message]
  }
  if (error instanceof HubRefusal) {
    return [error.status === 404 ? 404 : 502, error.message]
  }
  if (error instanceof HubUnavailable || error instanceof QueueFull) {
    return [503, error.message]
  }
  if (error instanceof SealBroken) {
    return [422, error.message]
  }
  return [500, 'The node failed to answer']
}
