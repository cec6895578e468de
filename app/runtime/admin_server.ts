import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import http from '#config/http'
import { JSON_TYPE } from '#http/send_json'
import { envelopeOf, Failure, InternalFailure, RouteNotFound } from '#kernel/failures'
import { readiness } from '#http/readiness'
import { respondToClientErrors } from '#http/client_errors'
import { serverTimeouts } from '#http/request_timeouts'
import { metrics } from '#observability/metrics'
import { ownLogPage } from './own_log_page.js'

export type Page = () => Promise<{ type: string; body: string }>

/** Only monitoring programs connect here. */
const MOST_CONNECTIONS = 256

export const OK = { type: JSON_TYPE, body: '{"status":"ok"}' }

/** Pages for monitoring; the primary of a pool serves its own pages for all processes. */
const PROCESS_PAGES: Record<string, Page> = {
  '/health/live': async () => OK,
  '/health/ready': async () => ({ type: JSON_TYPE, body: JSON.stringify(await readiness()) }),
  '/metrics': async () => ({ type: metrics.contentType, body: await metrics.metrics() }),
  '/logs': ownLogPage,
}

/** The server of the admin port: health checks, and all pages for connections that `showsAll` accepts. */
export function createAdminServer(
  pages: Record<string, Page> = PROCESS_PAGES,
  showsAll: (connection: Socket) => boolean = () => true
): Server {
  const { bodyTimeoutMs, headersTimeoutMs } = http
  const headersTimeout = Math.min(headersTimeoutMs, bodyTimeoutMs)
  const limits = { ...serverTimeouts(http), headersTimeout, requestTimeout: bodyTimeoutMs }
  const server = createServer(limits, async ({ method = 'GET', url = '/', socket }, response) => {
    const path = url.split('?')[0]!
    try {
      const isRead = method === 'GET' || method === 'HEAD'
      const isShown = path.startsWith('/health/') || showsAll(socket)
      const page = isRead && isShown && Object.hasOwn(pages, path) ? pages[path] : undefined
      if (!page) {
        throw new RouteNotFound(method)
      }
      const { type, body } = await page()
      send(response, 200, type, body)
    } catch (error) {
      const failure = error instanceof Failure ? error : new InternalFailure(error)
      send(response, failure.status, JSON_TYPE, JSON.stringify(envelopeOf(failure)))
    }
  })
  server.maxConnections = MOST_CONNECTIONS
  respondToClientErrors(server)
  return server
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}
