import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

import { HubRefusal, HubUnavailable, QueueFull, SealBroken } from '#node/errors'
import { answerJson } from './answer.js'
import { GatewayError } from './errors.js'
import type { GatewayToken, Router } from './router.js'

const MAX_LOGGED_PATH = 500

export interface GatewayTokens {
  /** Whether a request has a valid token of this analysis. */
  accepts(kind: Exclude<GatewayToken, 'none'>, shown: string): boolean
}

export interface GatewayLog {
  /** A rejected request, without tokens and bodies. */
  refused(method: string, path: string, status: number, reason: string): void
}

/**
 * The HTTP server for one analysis, on its own socket, with the routes of its router. Only the sidecar of the run
 * connects to it, which limits the requests of the analysis (`GATEWAY_LIMITS`).
 */
export class Gateway {
  readonly #router: Router
  readonly #tokens: GatewayTokens
  readonly #log: GatewayLog
  readonly #server: Server

  private constructor(router: Router, tokens: GatewayTokens, log: GatewayLog) {
    this.#router = router
    this.#tokens = tokens
    this.#log = log
    // The sidecar reuses its connections, and closes idle ones.
    const timeouts = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }
    this.#server = createServer(timeouts, (request, response) => {
      void this.#answer(request, response)
    })
  }

  /** Listens on a Unix socket, which no other account may connect to. */
  static async listen(
    socket: string,
    router: Router,
    tokens: GatewayTokens,
    log: GatewayLog
  ): Promise<Gateway> {
    const gateway = new Gateway(router, tokens, log)
    gateway.#server.listen(socket)
    await once(gateway.#server, 'listening')
    await chmod(socket, 0o600)
    return gateway
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
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
      const { params, handler } = route
      await handler({ request, response, params, query: searchParams })
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
    if (status === 503) {
      response.setHeader('retry-after', '1')
    }
    answerJson(response, status, { detail: reason })
    request.resume()
  }
}

/** The response was sent, or the analysis has disconnected. */
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
