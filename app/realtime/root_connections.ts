import type { Server as HttpServer } from 'node:http'

import type { Served } from '#configuration/surfaces'

import { Connections } from './connections.js'
import { SOCKET_PATH, type SocketServerOptions, type SocketServer } from './socket_server.js'

type RootConnectionsOptions = Pick<SocketServerOptions, 'peers' | 'cors' | 'adapter' | 'drain'>

/**
 * Serves the sockets of several surfaces on one port at `/socket.io`. The namespace selects the surface. The root
 * namespace belongs to messenger if that has sockets.
 */
export async function serveAtRoot(
  server: HttpServer,
  socketServers: ReadonlyMap<Served, SocketServer>,
  { peers, cors, adapter, drain }: RootConnectionsOptions
): Promise<void> {
  const maxBytes = Math.max(
    ...[...socketServers.values()].map((socketServer) => socketServer.maxBytes)
  )
  const isClosing = () => drain.hasStarted
  const connections = new Connections({
    path: SOCKET_PATH,
    peers,
    cors,
    adapter,
    isClosing,
    maxBytes,
  })
  for (const [surface, socketServer] of socketServers) {
    socketServer.share(connections, surface === 'messenger' || !socketServers.has('messenger'))
  }
  drain.signal.addEventListener('abort', () => connections.close(), { once: true })
  await connections.attach(server)
}
