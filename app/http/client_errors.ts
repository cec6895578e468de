import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import { BadRequest, envelopeOf, Failure } from '#kernel/failures'
import { headTimeout } from './request_timeouts.js'
import { JSON_TYPE, UNCACHED } from './send_json.js'

/** What the parser says about a request that it could not read. */
interface ClientError extends NodeJS.ErrnoException {
  /** What arrived last, which may be a later part of the request. */
  readonly rawPacket?: Buffer
}

/** The socket of a request that is still to be answered has its response. */
type ClientSocket = Duplex & { readonly _httpMessage?: ServerResponse | null }

const BEGINS_REQUEST = /^[A-Z]+ /
/** A packet may have several requests. */
const HAS_HEAD = /^HEAD /m

/** Responds to malformed or late requests with the error envelope. */
export function respondToClientErrors(server: Server): void {
  server.on('clientError', (error: ClientError, socket: ClientSocket) => {
    const failure = failureOf(error.code)
    if (!socket.writable || socket._httpMessage?.headersSent) {
      socket.destroy()
      return
    }
    const answer = answerTo(failure, { hasBody: takesBody(error, socket) })
    socket.end(answer, () => socket.destroy())
  })
}

function failureOf(code: string | undefined): Failure {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return headTimeout()
    case 'HPE_HEADER_OVERFLOW':
      return new Failure(431, 'bad_request', 'The head of the request is too large')
    default:
      return new BadRequest('The request is malformed')
  }
}

/**
 * Whether the answer may have a body, which one to HEAD must not. Of a request in several packets only the last one is
 * known: then there is none. A request that never arrived is treated as one that may.
 */
function takesBody({ code, rawPacket }: ClientError, { _httpMessage: pending }: ClientSocket) {
  if (pending) {
    return pending.req.method !== 'HEAD'
  }
  if (rawPacket === undefined || code === 'HPE_INVALID_METHOD') {
    return true
  }
  const packet = rawPacket.toString('latin1')
  return BEGINS_REQUEST.test(packet) && !HAS_HEAD.test(packet)
}

function answerTo(failure: Failure, { hasBody }: { hasBody: boolean }): string {
  const body = hasBody ? JSON.stringify(envelopeOf(failure)) : ''
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    ...(hasBody ? [`content-type: ${JSON_TYPE}`] : []),
    `cache-control: ${UNCACHED}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
