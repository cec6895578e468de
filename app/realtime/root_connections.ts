import type { Server as HttpServer } from 'node:http'

import type { SurfaceName } from '#configuration/surfaces'

import { Connections } from './connections.js'
import { SOCKET_PATH, type SiteOptions, type SocketSite } from './socket_site.js'

type Options = Pick<SiteOptions, 'peers' | 'cors' | 'adapter' | 'drain'>

/**
 * Serves the sockets of several surfaces that share a port at the path that each would have alone: a namespace leads to the surface it
 * belongs to. That of the root is messenger's where messenger has sockets.
 */
export async function serveAtRoot(
  server: HttpServer,
  sites: ReadonlyMap<SurfaceName, SocketSite>,
  { peers, cors, adapter, drain }: Options
): Promise<void> {
  const mostBytes = Math.max(...[...sites.values()].map((site) => site.mostBytes))
  const isClosing = () => drain.begun
  const connections = new Connections({
    path: SOCKET_PATH,
    peers,
    cors,
    adapter,
    isClosing,
    mostBytes,
  })
  for (const [surface, site] of sites) {
    site.share(connections, surface === 'messenger' || !sites.has('messenger'))
  }
  drain.signal.addEventListener('abort', () => connections.close(), { once: true })
  await connections.attach(server)
}
