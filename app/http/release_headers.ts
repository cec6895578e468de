import type { IncomingMessage } from 'node:http'

const NO_HEADERS = Object.freeze({})

/** For answers that are long in coming: nobody reads the head of their request as it was sent. */
export function releaseRawHeaders(request: IncomingMessage): void {
  request.rawHeaders = []
}

/** For answers that have begun and last: nobody reads any more what was said in the head of their request. */
export function releaseHeaders(request: IncomingMessage): void {
  releaseRawHeaders(request)
  request.headers = NO_HEADERS
}
