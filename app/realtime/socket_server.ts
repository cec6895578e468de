import type { Server as HttpServer } from 'node:http'

import type { Logger } from '@adonisjs/core/logger'
import type { ServerOptions } from 'socket.io'

import type { Authenticator } from '#auth/authenticator'
import type { ClientActivity } from '#http/client_activity'
import type { Drain } from '#kernel/drain'

import type { Connections } from './connections.js'
import type { Emitter } from './emission.js'
import type { Peers } from './peers.js'

/** The path of sockets of a surface that is alone on its port, and the default path of clients. */
export const SOCKET_PATH = '/socket.io'

/** Serves the sockets of a surface. */
export interface SocketServer {
  /** Attaches to an HTTP server, beside its other handlers. */
  attach(server: HttpServer): Promise<void>
  /** Serves its namespaces on connections shared with other surfaces. The root namespace only if `hasRoot` is set. */
  share(connections: Connections, hasRoot: boolean): void
  /** The maximum message size in bytes. */
  readonly maxBytes: number
}

/** The options of any socket server. */
export interface SocketServerOptions {
  readonly authenticator: Authenticator
  readonly drain: Drain
  readonly logger: Pick<Logger, 'error'>
  readonly activity?: Pick<ClientActivity, 'note'>
  /** The public path. */
  readonly path: string
  /** The other processes on the same port, if any. */
  readonly peers?: Peers
  readonly cors?: ServerOptions['cors']
  /** Receives the events of other processes. */
  readonly adapter?: ServerOptions['adapter']
  /** Delivers events to the sockets of all processes; undefined if there is only one. */
  readonly emitter?: Emitter
}

export type OpenSocketServer = (options: SocketServerOptions) => Promise<SocketServer>
