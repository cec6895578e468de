import { createServer, type Server, type ServerResponse } from 'node:http'

import { JSON_TYPE } from '#http/answer'
import { envelopeOf, Failure, InternalFailure, RouteNotFound } from '#http/failures'
import { requireReady } from '#http/readiness'
import { metrics } from '#observability/metrics'
import { drain } from '#runtime/drain'

export type Page = () => Promise<{ type: string; body: string }>

export const OK = { type: JSON_TYPE, body: '{"status":"ok"}' }

/** What the operator's tools ask for; a pool's primary answers with pages of its own, for all its processes. */
const PROCESS_PAGES: Record<string, Page> = {
  '/health/live': async () => OK,
  '/health/ready': async () => {
    drain.requireRunning()
    await requireReady()
    return OK
  },
  '/metrics': async () => ({ type: metrics.contentType, body: await metrics.metrics() }),
}

/**
 * The server on the admin port: health and metrics, for the operator's network only.
 */
export function createAdminServer(pages: Record<string, Page> = PROCESS_PAGES): Server {
  return createServer(async ({ method = 'GET', url = '/' }, response) => {
    const path = url.split('?')[0]!
    try {
      const page = method === 'GET' || method === 'HEAD' ? pages[path] : undefined
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
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}
