import type { Server as HttpServer } from 'node:http'

import type { Logger } from '@adonisjs/core/logger'
import type { ServerOptions } from 'socket.io'

import type { Authenticator } from '#auth/authentication_middleware'
import type { Drain } from '#kernel/drain'

import type { Connections } from './connections.js'
import type { Emitter } from './emission.js'
import type { Peers } from './peers.js'

/** Where a surface has its sockets that is alone on a port, and where clients look that know no other path. */
export const SOCKET_PATH = '/socket.io'

/** What serves the sockets of a surface. */
export interface SocketServer {
  /** Serves on the port of a server, beside what it answers already. */
  attach(server: HttpServer): Promise<void>
  /** Serves its namespaces on connections that other sites share; the root namespace only where that is its own there. */
  share(connections: Connections, hasRoot: boolean): void
  /** The largest thing that is sent to it. */
  readonly maxBytes: number
}

/** What a site is made with, whichever surface it is. */
export interface SocketServerOptions {
  readonly authenticator: Authenticator
  readonly drain: Drain
  readonly logger: Pick<Logger, 'error'>
  /** Where it is reached, as it is seen from outside. */
  readonly path: string
  /** The processes that share the port, where there are others. */
  readonly peers?: Peers
  readonly cors?: ServerOptions['cors']
  /** What receives the events of other processes. */
  readonly adapter?: ServerOptions['adapter']
  /** What carries events to the sockets of all processes, this one included; undefined where there are no others. */
  readonly emitter?: Emitter
}

export type OpenSocketServer = (options: SocketServerOptions) => Promise<SocketServer>
