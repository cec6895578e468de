import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** Handles some of the requests of a port. */
export interface PortHandler {
  matches(request: IncomingMessage): boolean
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  handleUpgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void
}

const HANDLERS = new WeakMap<HttpServer, PortHandler[]>()

/**
 * Routes matching requests of a server to a handler; the others go to the application. A server may have several
 * handlers.
 */
export function addPortHandler(server: HttpServer, handler: PortHandler): void {
  const handlers = HANDLERS.get(server)
  if (handlers) {
    handlers.push(handler)
  } else {
    const first = [handler]
    HANDLERS.set(server, first)
    intercept(server, (request) => first.find((one) => one.matches(request)))
  }
}

function intercept(
  server: HttpServer,
  handlerFor: (request: IncomingMessage) => PortHandler | undefined
) {
  const application = server.listeners('request').at(-1) as Listener
  server.off('request', application)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const handler = handlerFor(request)
    if (handler) {
      handler.handleRequest(request, response)
    } else {
      application.call(server, request, response)
    }
  })
  const shouldUpgradeCallback = (request: IncomingMessage) => handlerFor(request) !== undefined
  Object.assign(server, { shouldUpgradeCallback })
  server.on('upgrade', (request, stream, head) =>
    handlerFor(request)?.handleUpgrade(request, stream, head)
  )
}
