import type { IncomingMessage } from 'node:http'

import { Counter } from 'prom-client'

import { httpSettings, type HttpSettings } from './http_settings.js'
import { RequestTimeout } from '#kernel/failures'
import { metrics } from '#observability/metrics'

/**
 * Timeouts of request heads and idle connections. Bodies have none here, since an upload may take hours; their readers
 * set one. The keep-alive timeout exceeds that of proxies and clients, so that they close first and no request meets a
 * closing connection.
 */
export const serverTimeouts = ({ headersTimeoutMs }: HttpSettings = httpSettings()) => ({
  keepAliveTimeout: 65_000,
  headersTimeout: headersTimeoutMs,
  requestTimeout: 0,
  connectionsCheckingInterval: 500,
})

const timedOut = new Counter({
  name: 'http_requests_timed_out_total',
  help: 'Requests whose head or body did not arrive in time',
  labelNames: ['part'] as const,
  registers: [metrics],
})

/** Counts and creates the failure for a head that took too long. */
export function headTimeout(): RequestTimeout {
  timedOut.inc({ part: 'headers' })
  return new RequestTimeout('The request did not arrive in time')
}

/** Counts and creates the failure for a body that took too long. */
export function bodyTimeout(): RequestTimeout {
  timedOut.inc({ part: 'body' })
  return new RequestTimeout()
}

/** Closes a connection whose request was answered while its body is still arriving. */
export function closeIfBodyStalls(
  request: IncomingMessage,
  withinMs = httpSettings().bodyTimeoutMs
): void {
  if (request.complete || request.destroyed) {
    return
  }
  const limit = setTimeout(() => {
    // A complete body that was not read: the connection already serves other requests.
    if (!request.complete) {
      timedOut.inc({ part: 'body' })
      request.socket.destroy()
    }
  }, withinMs).unref()
  const { socket } = request
  const clear = () => {
    clearTimeout(limit)
    socket.off('close', clear)
  }
  socket.once('close', clear)
  request.once('end', clear)
}
