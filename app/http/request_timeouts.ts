import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

import { Counter } from 'prom-client'

import { httpSettings, type HttpSettings } from './http_settings.js'
import { JSON_TYPE, UNCACHED } from './send_json.js'
import { BadRequest, envelopeOf, Failure, RequestTimeout } from '#kernel/failures'
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
    // A complete body that nobody read: the connection already serves other requests.
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

/** Responds to malformed or late requests with the error envelope. */
export function respondToClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const failure = failureOf(error.code)
    if (failure.status === 408) {
      timedOut.inc({ part: 'headers' })
    }
    send(socket, failure)
  })
}

function failureOf(code: string | undefined): Failure {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RequestTimeout('The request did not arrive in time')
    case 'HPE_HEADER_OVERFLOW':
      return new Failure(431, 'bad_request', 'The head of the request is too large')
    default:
      return new BadRequest('The request is malformed')
  }
}

function send(socket: Duplex, failure: Failure): void {
  const isUnderWay = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage
    ?.headersSent
  if (!socket.writable || isUnderWay) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(envelopeOf(failure))
  const head = [
    `HTTP/1.1 ${failure.status} ${failure.status === 408 ? 'Request Timeout' : 'Bad Request'}`,
    `content-type: ${JSON_TYPE}`,
    `cache-control: ${UNCACHED}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
