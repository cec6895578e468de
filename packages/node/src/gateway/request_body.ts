import type { IncomingMessage } from 'node:http'

/** The body of a request. The connection stays open after an error of the reader, for the response. */
export const bodyOf = (request: IncomingMessage): AsyncIterable<Buffer> =>
  request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
