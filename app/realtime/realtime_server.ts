import type { Server as HttpServer } from 'node:http'

import type { Socket } from 'socket.io'

import type { Actor } from '#kernel/actor'

import { authenticateSocket, type SocketIdentity } from './authenticate_socket.js'
import { Connections } from './connections.js'
import { emitTo, type Emission, type Emitter } from './emission.js'
import { requireMember, namespaceAliases } from './namespaces.js'
import { OpenNamespaces } from './open_namespaces.js'
import { ResourceSocket } from './resource_socket.js'
import type { SocketServerOptions, SocketServer } from './socket_server.js'

/** Tokens are the largest input, at most 16 KiB. */
const MAX_BYTES = 32 * 1024
const REVIEW_EVERY_MS = 60_000

interface RealtimeServerOptions extends SocketServerOptions {
  /** How often the permissions of each connection are checked again. */
  readonly reviewEveryMs?: number
}

/** Sends record changes to connected clients. Each client subscribes to the records it needs. */
export class RealtimeServer implements Emitter, SocketServer {
  readonly maxBytes = MAX_BYTES
  readonly #options: RealtimeServerOptions
  readonly #connections: Connections
  readonly #namespaces: OpenNamespaces[] = []
  readonly #identities = new WeakMap<Socket, SocketIdentity>()
  readonly #sockets = new Set<ResourceSocket>()
  readonly #review: NodeJS.Timeout

  constructor(options: RealtimeServerOptions) {
    const { path, peers, cors, adapter, drain, reviewEveryMs = REVIEW_EVERY_MS } = options
    const isClosing = () => drain.hasStarted
    this.#options = options
    const { maxBytes: maxBytes } = this
    this.#connections = new Connections({
      path,
      peers,
      cors,
      adapter,
      isClosing,
      maxBytes: maxBytes,
    })
    this.share(this.#connections, true)
    this.#review = setInterval(() => this.#reviewAll(), reviewEveryMs).unref()
    drain.signal.addEventListener('abort', () => this.close(), { once: true })
  }

  /** Serves sockets on the port of a server, beside what it answers already. */
  async attach(server: HttpServer): Promise<void> {
    await this.#connections.attach(server)
  }

  share(connections: Connections, hasRoot: boolean): void {
    const namespaces = new OpenNamespaces(
      connections.io,
      (socket) => this.#authenticate(socket, connections),
      (socket) => this.#serve(socket),
      hasRoot
    )
    this.#namespaces.push(namespaces)
  }

  /** Emits to the sockets of this process. */
  async emit(emissions: readonly Emission[]): Promise<void> {
    for (const emission of emissions) {
      for (const spelling of namespaceAliases(emission.namespace)) {
        for (const namespaces of this.#namespaces) {
          const namespace = namespaces.get(spelling)
          if (namespace) {
            emitTo(namespace, emission)
          }
        }
      }
    }
  }

  close(): void {
    clearInterval(this.#review)
    this.#connections.close()
  }

  async #authenticate(socket: Socket, connections: Connections): Promise<void> {
    const { authenticator, logger, activity } = this.#options
    const requireEntry = (actor: Actor) => requireMember(actor, socket.nsp.name)
    const identity = await authenticateSocket(socket, {
      authenticator,
      logger,
      activity,
      requireEntry,
    })
    connections.assignOwner(socket, `${identity.actor.kind}:${identity.actor.id}`)
    this.#identities.set(socket, identity)
  }

  #serve(socket: Socket): void {
    const { authenticator, logger } = this.#options
    const identity = this.#identities.get(socket)!
    const resourceSocket = new ResourceSocket(socket, { ...identity, authenticator, logger })
    this.#sockets.add(resourceSocket)
    socket.once('disconnect', () => this.#sockets.delete(resourceSocket))
  }

  #reviewAll(): void {
    this.#sockets.forEach((socket) => void socket.review())
  }
}
