import type { IncomingMessage, ServerResponse } from 'node:http'

import type { ConnectionLimits } from './connection_limit.js'
import { GracefulServer } from './graceful_server.js'
import type { Drain } from '#kernel/drain'

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

const SAFE_REQUEST_ID = /^[\w.:-]{1,128}$/

/**
 * Creates the HTTP server of a process. `prefix` is prepended to every path, so that a surface served alone is
 * available at `/`.
 */
export function createListener(
  handle: Handle,
  { prefix, drain, limits }: { prefix: string; drain: Drain; limits?: ConnectionLimits }
): GracefulServer {
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    dropUnsafeRequestId(request)
    if (prefix) {
      request.url = prefix + request.url
    }
    handle(request, response)
  }
  return new GracefulServer(listener, drain, limits)
}

/** A request id of the client is logged and echoed, so only safe ones are accepted. */
function dropUnsafeRequestId({ headers }: IncomingMessage): void {
  const sent = headers['x-request-id']
  if (sent !== undefined && !(typeof sent === 'string' && SAFE_REQUEST_ID.test(sent))) {
    delete headers['x-request-id']
  }
}
