import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** What takes some of the requests that come to a port. */
export interface Door {
  isFor(request: IncomingMessage): boolean
  answer(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void
}

const DOORS = new WeakMap<HttpServer, Door[]>()

/** Takes what a door is for away from what answered there before. A server may have several. */
export function openDoor(server: HttpServer, door: Door): void {
  const doors = DOORS.get(server)
  if (doors) {
    doors.push(door)
  } else {
    const first = [door]
    DOORS.set(server, first)
    divert(server, (request) => first.find((one) => one.isFor(request)))
  }
}

function divert(server: HttpServer, doorFor: (request: IncomingMessage) => Door | undefined) {
  const application = server.listeners('request').at(-1) as Listener
  server.off('request', application)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const door = doorFor(request)
    if (door) {
      door.answer(request, response)
    } else {
      application.call(server, request, response)
    }
  })
  const shouldUpgradeCallback = (request: IncomingMessage) => doorFor(request) !== undefined
  Object.assign(server, { shouldUpgradeCallback })
  server.on('upgrade', (request, stream, head) => doorFor(request)?.upgrade(request, stream, head))
}
