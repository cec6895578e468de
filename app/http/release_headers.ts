import type { IncomingMessage } from 'node:http'

const NO_HEADERS = Object.freeze({})

/** Frees the raw headers of a request with a long-running response; nothing reads them. */
export function releaseRawHeaders(request: IncomingMessage): void {
  request.rawHeaders = []
}

/** Frees all headers of a request whose response has started. */
export function releaseHeaders(request: IncomingMessage): void {
  releaseRawHeaders(request)
  request.headers = NO_HEADERS
}
