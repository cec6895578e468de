import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import type { ApplicationService } from '@adonisjs/core/types'

import { JSON_TYPE, UNCACHED } from './send_json.js'
import { shareMiddleware } from './shared_middleware.js'
import { BadRequest, envelopeOf } from '#kernel/failures'

/** Boots the framework's server; returns what passes it the requests of a listener. */
export async function createRequestListener({
  container,
}: ApplicationService): Promise<RequestListener> {
  const server = await container.make('server')
  const logger = await container.make('logger')
  await server.boot()
  await shareMiddleware(server, container)
  return (request, response) => {
    server.handle(request, response)?.catch((error) => {
      logger.fatal({ err: error }, 'a request could not be answered with an error')
      response.destroy()
    })
  }
}

/** Responds to a path that cannot be decoded, before there is a context. */
export function rejectBadUrl(_: IncomingMessage, response: ServerResponse): void {
  const failure = new BadRequest('The path contains a malformed escape sequence')
  response.writeHead(failure.status, { 'content-type': JSON_TYPE, 'cache-control': UNCACHED })
  response.end(JSON.stringify(envelopeOf(failure)))
}
